// Field paths and variables: "$a.b", "$$name", "$$name.a.b".
#include "engine/expression/field_path.h"

#include "base/strings.h"
#include "bson/builder.h"
#include "engine/expression/expression.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using Path = std::vector<std::string>;

// Pushes what `path` from component `i` on gives below `document`; nothing if it is missing.
void PushPath(bson::View document, const Path& path, size_t i, bson::Builder* out) {
  bson::ValueView value = document.Find(path[i]);
  while (i + 1 < path.size() && value.IsDocument()) value = value.AsDocument().Find(path[++i]);
  if (value.IsMissing()) return;
  if (i + 1 == path.size()) {
    out->Push(value);
    return;
  }
  if (!value.IsArray()) return;
  out->PushOpenArray();
  for (const bson::Element& element : value.AsDocument()) {
    if (element.value.IsDocument()) PushPath(element.value.AsDocument(), path, i + 1, out);
  }
  out->Close();
}

// The value that `path` from component `i` on gives below `value`.
bson::ValueView Resolve(bson::ValueView value, const Path& path, size_t i, bson::Value* scratch) {
  while (i < path.size() && value.IsDocument()) value = value.AsDocument().Find(path[i++]);
  if (i == path.size()) return value;
  if (!value.IsArray()) return {};
  ArrayBuilder out;
  for (const bson::Element& element : value.AsDocument()) {
    if (element.value.IsDocument()) PushPath(element.value.AsDocument(), path, i, &out.builder());
  }
  *scratch = out.Finish();
  return *scratch;
}

std::string JoinPath(const Path& path) {
  std::string out;
  for (const std::string& part : path) {
    if (!out.empty()) out += '.';
    out += part;
  }
  return out;
}

class RootPathExpression final : public Expression {
 public:
  explicit RootPathExpression(Path path) : path_(std::move(path)), dotted_(JoinPath(path_)) {}

  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    bson::Value scratch;
    bson::ValueView view = ResolvePath(frame.root, path_, &scratch);
    if (!scratch.IsMissing()) return scratch;
    return bson::Value(view);
  }
  absl::StatusOr<bson::ValueView> View(Frame& frame, bson::Value* scratch) const override {
    return ResolvePath(frame.root, path_, scratch);
  }
  void AddDependencies(Dependencies* out) const override { out->paths.insert(dotted_); }
  std::string_view RootPath() const override { return dotted_; }

 private:
  const Path path_;
  const std::string dotted_;
};

// $$ROOT.
class RootExpression final : public Expression {
 public:
  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    return bson::Value::FromDocument(frame.root);
  }
  absl::StatusOr<bson::ValueView> View(Frame& frame, bson::Value*) const override {
    return bson::ValueView(bson::Type::kDocument, frame.root.data(), frame.root.size());
  }
  void AddDependencies(Dependencies* out) const override { out->whole_document = true; }
};

// A variable in a slot, and a path below it.
class SlotExpression final : public Expression {
 public:
  SlotExpression(Slot slot, Path path) : slot_(slot), path_(std::move(path)) {}

  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    bson::Value scratch;
    bson::ValueView view = Resolve(frame.Get(slot_), path_, 0, &scratch);
    if (!scratch.IsMissing()) return scratch;
    return bson::Value(view);
  }
  absl::StatusOr<bson::ValueView> View(Frame& frame, bson::Value* scratch) const override {
    return Resolve(frame.Get(slot_), path_, 0, scratch);
  }
  void AddDependencies(Dependencies* out) const override { out->slots.insert(slot_); }

 private:
  const Slot slot_;
  const Path path_;
};

enum class SystemVariable { kNow, kClusterTime };

class SystemExpression final : public Expression {
 public:
  explicit SystemExpression(SystemVariable variable) : variable_(variable) {}
  absl::StatusOr<bson::Value> Evaluate(Frame& frame) const override {
    switch (variable_) {
      case SystemVariable::kNow:
        return bson::Value::Date(frame.context().now_ms);
      case SystemVariable::kClusterTime:
        return bson::Value::FromTimestamp(frame.context().cluster_time);
    }
    return bson::Value();
  }
  void AddDependencies(Dependencies*) const override {}

 private:
  const SystemVariable variable_;
};

ExpressionPtr AtPath(bson::ValueView constant, const Path& path) {
  bson::Value scratch;
  return MakeConstant(bson::Value(Resolve(constant, path, 0, &scratch)));
}

ExpressionPtr MakeRoot(Path path) {
  if (path.empty()) return ExpressionPtr(new RootExpression());
  return ExpressionPtr(new RootPathExpression(std::move(path)));
}

ExpressionPtr MakeRemove(Path) { return MakeConstant(bson::Value()); }

ExpressionPtr MakeUserRoles(Path path) {
  return AtPath(bson::Value::FromArray(bson::View()), path);
}

template <SystemVariable kVariable>
ExpressionPtr MakeSystem(Path path) {
  if (!path.empty()) return MakeConstant(bson::Value());
  return ExpressionPtr(new SystemExpression(kVariable));
}

struct VariableRow {
  std::string_view name;
  ExpressionPtr (*make)(Path path);
  std::string_view help;
};

constexpr VariableRow kVariables[] = {
    {"CLUSTER_TIME", MakeSystem<SystemVariable::kClusterTime>, "the cluster's time"},
    {"CURRENT", MakeRoot, "the document, unless $let defines it anew"},
    {"NOW", MakeSystem<SystemVariable::kNow>,
     "the moment of the command, the same everywhere in it"},
    {"REMOVE", MakeRemove, "nothing: a field with this value is left out"},
    {"ROOT", MakeRoot, "the document"},
    {"USER_ROLES", MakeUserRoles, "the client's roles; there are none"},
};

bool IsOfTheMoment(std::string_view name) { return name == "NOW" || name == "CLUSTER_TIME"; }

absl::StatusOr<ExpressionPtr> MakeVariable(std::string_view name, Path path,
                                           const ParseContext& context) {
  if (std::optional<Variables::Found> found = context.variables->Find(name)) {
    if (found->constant) return AtPath(*found->constant, path);
    return ExpressionPtr(new SlotExpression(found->slot, std::move(path)));
  }
  if (!context.has_moment && IsOfTheMoment(name)) {
    return base::Error(51144, base::StrCat("the system variable ", name, " has no value here"));
  }
  for (const VariableRow& row : kVariables) {
    if (row.name == name) return row.make(std::move(path));
  }
  return base::Error(17276, base::StrCat("Use of undefined variable: ", name));
}

}  // namespace

std::vector<SystemVariableName> SystemVariables() {
  std::vector<SystemVariableName> all;
  for (const VariableRow& row : kVariables) all.push_back({row.name, row.help});
  return all;
}

bson::ValueView ResolvePath(bson::View document, const Path& path, bson::Value* scratch) {
  bson::ValueView value = document.Find(path[0]);
  if (path.size() == 1) return value;
  return Resolve(value, path, 1, scratch);
}

absl::Status CheckFieldName(std::string_view name) {
  if (name.empty()) return base::Error(15998, "FieldPath field names may not be empty strings.");
  const bool of_reference = name == "$ref" || name == "$id" || name == "$db";
  if (name[0] == '$' && !of_reference) {
    return base::Error(16410,
                       base::StrCat("FieldPath field names may not start with '$'. Consider using "
                                    "$getField or $setField. Field name: ",
                                    name));
  }
  if (name.find('\0') != std::string_view::npos) {
    return base::Error(16411, "FieldPath field names may not contain '\\0'.");
  }
  if (name.find('.') != std::string_view::npos) {
    return base::Error(
        16412, "FieldPath field names may not contain '.'. Consider using $getField or $setField.");
  }
  return absl::OkStatus();
}

absl::StatusOr<Path> ParseFieldPath(std::string_view path) {
  if (path.empty()) return base::Error(40352, "FieldPath cannot be constructed with empty string");
  if (path.back() == '.') return base::Error(40353, "FieldPath must not end with a '.'.");
  Path out;
  while (true) {
    size_t dot = path.find('.');
    std::string_view part = path.substr(0, dot);
    MAYFLY_RETURN_IF_ERROR(CheckFieldName(part));
    out.emplace_back(part);
    if (dot == std::string_view::npos) break;
    path.remove_prefix(dot + 1);
  }
  if (out.size() > kMaxFieldPathDepth)
    return base::Error(base::ErrorCode::kOverflow, "FieldPath is too long");
  return out;
}

absl::StatusOr<ExpressionPtr> ParseFieldPathExpression(std::string_view text,
                                                       const ParseContext& context) {
  if (text == "$") return base::Error(16872, "'$' by itself is not a valid FieldPath");
  bool variable = text.substr(0, 2) == "$$";
  std::string_view name = "CURRENT", rest = text.substr(1);
  if (variable) {
    std::string_view whole = text.substr(2);
    size_t dot = whole.find('.');
    name = whole.substr(0, dot);
    MAYFLY_RETURN_IF_ERROR(CheckVariableNameForRead(name));
    if (dot == std::string_view::npos) return MakeVariable(name, {}, context);
    rest = whole.substr(dot + 1);
    if (rest.empty()) return base::Error(40353, "FieldPath must not end with a '.'.");
  }
  MAYFLY_ASSIGN_OR_RETURN(Path path, ParseFieldPath(rest));
  if (path.size() >= kMaxFieldPathDepth)
    return base::Error(base::ErrorCode::kOverflow, "FieldPath is too long");
  return MakeVariable(name, std::move(path), context);
}

}  // namespace mayfly::engine
