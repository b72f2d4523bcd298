// Operators on any value: $set, $setOnInsert, $unset, $rename, $currentDate, $min, $max.
#include "base/status.h"
#include "base/strings.h"
#include "bson/compare.h"
#include "bson/json.h"
#include "engine/update/update_kinds.h"
#include "engine/update/update_operator.h"
#include "engine/update/update_path.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

class Set : public UpdateOperator {
 public:
  Set(bson::ValueView value, bool on_insert_only)
      : value_(value), on_insert_only_(on_insert_only) {}

  MissingPath OnMissingPath(const UpdateTarget& target) const override {
    return IsActive(target) ? MissingPath::kCreate : MissingPath::kIgnore;
  }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget& target) const override {
    if (!IsActive(target)) return UpdateChange::None();
    return UpdateChange::ReplaceUnlessSame(target.value, value_);
  }

 private:
  bool IsActive(const UpdateTarget& target) const { return target.is_insert || !on_insert_only_; }

  bson::Value value_;
  bool on_insert_only_;
};

absl::StatusOr<UpdateOperatorPtr> ParseSet(const bson::Element& argument,
                                           const UpdateParseContext&) {
  return std::make_unique<Set>(argument.value, false);
}

absl::StatusOr<UpdateOperatorPtr> ParseSetOnInsert(const bson::Element& argument,
                                                   const UpdateParseContext&) {
  return std::make_unique<Set>(argument.value, true);
}

class Unset : public UpdateOperator {
 public:
  MissingPath OnMissingPath(const UpdateTarget&) const override { return MissingPath::kIgnore; }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget&) const override {
    return UpdateChange::Remove();
  }
};

absl::StatusOr<UpdateOperatorPtr> ParseUnset(const bson::Element&, const UpdateParseContext&) {
  return std::make_unique<Unset>();
}

// What lies on a path of a document.
struct Walked {
  bson::ValueView value;   // missing if the path ends early
  bson::ValueView last;    // the last value on the path that exists
  size_t steps = 0;        // parts that exist
  std::string_view array;  // the last array that the path goes through; empty: none
};

Walked WalkPath(bson::View doc, const UpdatePath& path) {
  Walked walked;
  bson::ValueView current(bson::Type::kDocument, doc.data(), doc.size());
  for (const std::string& part : path) {
    if (!current.IsContainer()) return walked;
    if (current.IsArray()) {
      walked.array =
          walked.steps == 0 ? std::string_view() : std::string_view(path[walked.steps - 1]);
      if (!ArrayIndex(part)) return walked;
    }
    current = current.AsDocument().Find(part);
    if (current.IsMissing()) return walked;
    walked.last = current;
    ++walked.steps;
  }
  walked.value = current;
  return walked;
}

// The half of $rename that writes. The value comes from the document as it was: no other operator
// of the same update can have changed it, that would be a conflict.
class RenameTarget : public UpdateOperator {
 public:
  RenameTarget(UpdatePath source, UpdatePath target)
      : source_(std::move(source)), target_(std::move(target)) {}

  MissingPath OnMissingPath(const UpdateTarget& target) const override {
    return WalkPath(target.document, source_).value.IsMissing() ? MissingPath::kIgnore
                                                                : MissingPath::kCreate;
  }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget& target) const override {
    const bson::ValueView value = WalkPath(target.document, source_).value;
    if (value.IsMissing()) return UpdateChange::None();
    return UpdateChange::Replace(bson::Value(value));
  }

  absl::Status CheckDocument(bson::View doc) const override {
    const Walked from = WalkPath(doc, source_);
    if (from.value.IsMissing()) {
      const bool blocked =
          from.steps > 0 &&
          (!from.last.IsContainer() || (from.last.IsArray() && !ArrayIndex(source_[from.steps])));
      if (!blocked) return absl::OkStatus();
      return Error(ErrorCode::kPathNotViable,
                   StrCat("cannot use the part (", source_[from.steps], " of ", JoinPath(source_),
                          ") to traverse the element ({", source_[from.steps - 1], ": ",
                          bson::ToShellText(from.last), "})"));
    }
    if (!from.array.empty()) return ThroughArray(doc, "source", source_, from.array);
    const Walked to = WalkPath(doc, target_);
    if (!to.array.empty()) return ThroughArray(doc, "destination", target_, to.array);
    return absl::OkStatus();
  }

 private:
  static absl::Status ThroughArray(bson::View doc, std::string_view which, const UpdatePath& path,
                                   std::string_view array) {
    return Error(ErrorCode::kBadValue,
                 StrCat("The ", which, " field cannot be an array element, '", JoinPath(path),
                        "' in doc with _id: ", bson::ToShellText(doc.Find("_id")),
                        " has an array field called '", array, "'"));
  }

  UpdatePath source_;
  UpdatePath target_;
};

absl::StatusOr<UpdateOperatorPtr> ParseRename(const bson::Element& argument,
                                              const UpdateParseContext&) {
  MAYFLY_ASSIGN_OR_RETURN(UpdatePath source, ParseUpdatePath(argument.key));
  MAYFLY_ASSIGN_OR_RETURN(UpdatePath target, ParseUpdatePath(argument.value.AsString()));
  const std::string shown = StrCat(argument.key, ": ", bson::ToShellText(argument.value));
  if (source == target) {
    return Error(ErrorCode::kBadValue,
                 StrCat("The source and target field for $rename must differ: ", shown));
  }
  if (IsPrefixOf(source, target) || IsPrefixOf(target, source)) {
    return Error(
        ErrorCode::kBadValue,
        StrCat("The source and target field for $rename must not be on the same path: ", shown));
  }
  if (IsDynamic(source)) {
    return Error(ErrorCode::kBadValue,
                 StrCat("The source field for $rename may not be dynamic: ", argument.key));
  }
  if (IsDynamic(target)) {
    return Error(ErrorCode::kBadValue,
                 StrCat("The destination field for $rename may not be dynamic: ",
                        argument.value.AsString()));
  }
  return std::make_unique<RenameTarget>(std::move(source), std::move(target));
}

class CurrentDate : public UpdateOperator {
 public:
  explicit CurrentDate(bool timestamp) : timestamp_(timestamp) {}

  MissingPath OnMissingPath(const UpdateTarget&) const override { return MissingPath::kCreate; }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget& target) const override {
    bson::Value now = timestamp_ ? bson::Value::FromTimestamp(TimestampNow(*target.evaluation))
                                 : bson::Value::Date(target.evaluation->now_ms);
    return UpdateChange::ReplaceUnlessSame(target.value, std::move(now));
  }

 private:
  bool timestamp_;
};

absl::StatusOr<UpdateOperatorPtr> ParseCurrentDate(const bson::Element& argument,
                                                   const UpdateParseContext&) {
  if (argument.value.IsBool()) return std::make_unique<CurrentDate>(false);
  if (!argument.value.IsDocument()) {
    return Error(ErrorCode::kBadValue, StrCat(bson::TypeName(argument.value.type()),
                                              " is not valid type for $currentDate. Please use a "
                                              "boolean ('true') or a $type expression "
                                              "({$type: 'timestamp/date'})."));
  }
  bool found = false;
  bool timestamp = false;
  for (const bson::Element& option : argument.value.AsDocument()) {
    if (option.key != "$type") {
      return Error(ErrorCode::kBadValue, StrCat("Unrecognized $currentDate option: ", option.key));
    }
    const std::string_view type =
        option.value.IsString() ? option.value.AsString() : std::string_view();
    if (type != "date" && type != "timestamp") {
      return Error(ErrorCode::kBadValue, StrCat("The '$type' string field is required to be 'date' "
                                                "or 'timestamp': {$currentDate: {field : "
                                                "{$type: 'date'}}}"));
    }
    found = true;
    timestamp = type == "timestamp";
  }
  if (!found) {
    return Error(ErrorCode::kBadValue,
                 "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: "
                 "{field : {$type: "
                 "'date'}}}");
  }
  return std::make_unique<CurrentDate>(timestamp);
}

// $min and $max: the argument replaces what ranks on its other side.
class Extreme : public UpdateOperator {
 public:
  Extreme(bson::ValueView value, int sign, const bson::StringComparator* strings)
      : value_(value), sign_(sign), strings_(strings) {}

  MissingPath OnMissingPath(const UpdateTarget&) const override { return MissingPath::kCreate; }
  absl::StatusOr<UpdateChange> Apply(const UpdateTarget& target) const override {
    if (!target.value.IsMissing() && sign_ * bson::Compare(value_, target.value, strings_) <= 0) {
      return UpdateChange::None();
    }
    return UpdateChange::Replace(value_);
  }

 private:
  bson::Value value_;
  int sign_;
  const bson::StringComparator* strings_;
};

absl::StatusOr<UpdateOperatorPtr> ParseMin(const bson::Element& argument,
                                           const UpdateParseContext& context) {
  return std::make_unique<Extreme>(argument.value, -1, context.evaluation->strings);
}

absl::StatusOr<UpdateOperatorPtr> ParseMax(const bson::Element& argument,
                                           const UpdateParseContext& context) {
  return std::make_unique<Extreme>(argument.value, 1, context.evaluation->strings);
}

constexpr UpdateOperatorRow kRows[] = {
    {"$set", ParseSet, "Sets a field to a value, making it if missing."},
    {"$setOnInsert", ParseSetOnInsert, "Sets a field only in a document that an upsert inserts."},
    {"$unset", ParseUnset, "Removes a field; an array element becomes null."},
    {"$rename", ParseRename, "Moves a value to another field name.", true},
    {"$currentDate", ParseCurrentDate, "Sets a field to the current date or timestamp."},
    {"$min", ParseMin, "Sets a field if the value is below the present one."},
    {"$max", ParseMax, "Sets a field if the value is above the present one."},
};

}  // namespace

UpdateOperatorPtr MakeRenameSource() { return std::make_unique<Unset>(); }

UpdateOperatorFamily FieldUpdateOperators() { return {kRows, std::size(kRows)}; }

}  // namespace mayfly::engine
