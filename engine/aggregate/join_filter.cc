#include "engine/aggregate/join_filter.h"

#include <charconv>

#include "bson/builder.h"

namespace mayfly::engine {
namespace {

using bson::ValueView;

constexpr ValueView kNullView(bson::Type::kNull, nullptr, 0);

bool IsIndex(const std::string& text) {
  for (char c : text) {
    if (c < '0' || c > '9') return false;
  }
  return !text.empty();
}

void Collect(ValueView value, const std::vector<std::string>& path, size_t i,
             std::vector<ValueView>* out) {
  while (i < path.size() && value.IsDocument()) value = value.AsDocument().Find(path[i++]);
  if (value.IsArray()) {
    if (i < path.size() && IsIndex(path[i])) {
      const ValueView element = value.AsDocument().Find(path[i]);
      if (!element.IsMissing()) Collect(element, path, i + 1, out);
    }
    for (const bson::Element& element : value.AsDocument()) {
      if (i == path.size()) {
        out->push_back(element.value);
      } else if (element.value.IsDocument()) {
        Collect(element.value, path, i, out);
      }
    }
    return;
  }
  if (i == path.size() && !value.IsMissing()) out->push_back(value);
}

}  // namespace

std::vector<ValueView> JoinValues(bson::View document, const std::vector<std::string>& path) {
  std::vector<ValueView> out;
  Collect(ValueView(bson::Type::kDocument, document.data(), document.size()), path, 0, &out);
  if (out.empty()) out.push_back(kNullView);
  return out;
}

absl::StatusOr<FilterPtr> MakeEqualsAnyFilter(std::string_view field,
                                              const std::vector<ValueView>& values,
                                              bson::View and_also, const Runtime& runtime) {
  bool any_regex = false;
  for (ValueView value : values) any_regex = any_regex || value.type() == bson::Type::kRegex;
  bson::Builder spec;
  if (!and_also.empty()) spec.OpenArray("$and").PushDocument(and_also).PushOpenDocument();
  if (any_regex) {
    spec.OpenArray("$or");
    for (ValueView value : values)
      spec.PushOpenDocument().OpenDocument(field).Append("$eq", value).Close().Close();
    spec.Close();
  } else if (values.size() == 1) {
    spec.OpenDocument(field).Append("$eq", values[0]).Close();
  } else {
    spec.OpenDocument(field).OpenArray("$in");
    for (ValueView value : values) spec.Push(value);
    spec.Close().Close();
  }
  if (!and_also.empty()) spec.Close().Close();
  Variables variables;
  FilterParseContext context;
  context.strings = runtime.evaluation->strings;
  context.variables = &variables;
  context.evaluation = runtime.evaluation;
  return ParseFilter(spec.Finish(), context);
}

absl::StatusOr<FilterPtr> MakeJoinFilter(bson::View document, const std::vector<std::string>& local,
                                         std::string_view foreign, const Runtime& runtime) {
  return MakeEqualsAnyFilter(foreign, JoinValues(document, local), bson::View(), runtime);
}

}  // namespace mayfly::engine
