// Updates by operators: {$set: {...}, $inc: {...}}.
#include <algorithm>
#include <set>

#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "engine/update/array_filters.h"
#include "engine/update/update_kinds.h"
#include "engine/update/update_tree.h"
#include "engine/update/update_walk.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;

class OperatorUpdate : public Update {
 public:
  static absl::StatusOr<std::unique_ptr<const Update>> Make(bson::View u,
                                                            const UpdateParseContext& context);

  absl::StatusOr<std::optional<bson::Document>> Apply(
      bson::View doc, const UpdateApplyContext& context) const override {
    bson::Builder builder;
    MAYFLY_ASSIGN_OR_RETURN(const bool changed, Walk(doc, context, false, &builder));
    if (!changed) return std::nullopt;
    bson::Document result = builder.Finish();
    MAYFLY_RETURN_IF_ERROR(CheckUpdatedSize(result));
    return result;
  }

  bool needs_matched_index() const override { return needs_matched_index_; }
  const UpdatedFields& updated_fields() const override { return updated_fields_; }

 protected:
  absl::StatusOr<bson::Document> ApplyToSeed(bson::View seed,
                                             const UpdateApplyContext& context) const override {
    bson::Builder builder;
    MAYFLY_RETURN_IF_ERROR(Walk(seed, context, true, &builder).status());
    return builder.Finish();
  }

 private:
  absl::Status Add(const UpdateOperatorRow& row, const bson::Element& argument,
                   const UpdateParseContext& context);
  absl::Status CheckIdentifiers(const UpdatePath& path, std::string_view text);
  absl::Status CheckAllFiltersUsed(bson::View u) const;

  absl::StatusOr<bool> Walk(bson::View doc, const UpdateApplyContext& context, bool is_insert,
                            bson::Builder* out) const {
    for (const UpdateOperator* op : document_checks_)
      MAYFLY_RETURN_IF_ERROR(op->CheckDocument(doc));
    return UpdateWalk(filters_, context, is_insert).Run(root_, doc, out);
  }

  ArrayFilters filters_;
  UpdateNode root_;
  std::vector<const UpdateOperator*> document_checks_;
  std::set<std::string, std::less<>> used_filters_;
  bool needs_matched_index_ = false;
  UpdatedFields updated_fields_;
};

absl::StatusOr<std::unique_ptr<const Update>> OperatorUpdate::Make(
    bson::View u, const UpdateParseContext& context) {
  auto update = std::make_unique<OperatorUpdate>();
  MAYFLY_ASSIGN_OR_RETURN(update->filters_, ArrayFilters::Parse(context));
  for (const bson::Element& element : u) {
    const UpdateOperatorRow* row = FindUpdateOperator(element.key);
    if (row == nullptr) {
      return Error(
          ErrorCode::kFailedToParse,
          StrCat(
              "Unknown modifier: ", element.key,
              ". Expected a valid update modifier or pipeline-style update specified as an array"));
    }
    if (!element.value.IsDocument()) {
      return Error(ErrorCode::kFailedToParse,
                   StrCat("Modifiers operate on fields but we found type ",
                          bson::TypeName(element.value.type()),
                          " instead. For example: {$mod: {<field>: ...}} not {", element.key, ": ",
                          bson::ToShellText(element.value), "}"));
    }
    for (const bson::Element& argument : element.value.AsDocument()) {
      MAYFLY_RETURN_IF_ERROR(update->Add(*row, argument, context));
    }
  }
  MAYFLY_RETURN_IF_ERROR(update->CheckAllFiltersUsed(u));
  for (const auto& [name, child] : update->root_.children)
    update->updated_fields_.names.push_back(name);
  return update;
}

absl::Status OperatorUpdate::Add(const UpdateOperatorRow& row, const bson::Element& argument,
                                 const UpdateParseContext& context) {
  std::string_view target = argument.key;
  if (row.path_in_operand) {
    if (!argument.value.IsString()) {
      return Error(ErrorCode::kBadValue,
                   StrCat("The 'to' field for ", row.name, " must be a string: ", argument.key,
                          ": ", bson::ToShellText(argument.value)));
    }
    target = argument.value.AsString();
  }
  if (target.find('\0') != std::string_view::npos) {
    return Error(9867600, StrCat("The field name for ", row.name, " must not contain a null byte"));
  }
  MAYFLY_ASSIGN_OR_RETURN(const UpdatePath path, ParseUpdatePath(target));
  MAYFLY_ASSIGN_OR_RETURN(UpdateOperatorPtr op, row.parse(argument, context));
  MAYFLY_RETURN_IF_ERROR(CheckIdentifiers(path, target));
  needs_matched_index_ |= std::any_of(path.begin(), path.end(), IsPositional);
  const UpdateOperator* added = op.get();
  MAYFLY_RETURN_IF_ERROR(AddToTree(&root_, path, std::move(op)));
  if (!row.path_in_operand) return absl::OkStatus();
  document_checks_.push_back(added);
  MAYFLY_ASSIGN_OR_RETURN(const UpdatePath source, ParseUpdatePath(argument.key));
  return AddToTree(&root_, source, MakeRenameSource());
}

absl::Status OperatorUpdate::CheckIdentifiers(const UpdatePath& path, std::string_view text) {
  for (const std::string& part : path) {
    const std::optional<std::string_view> identifier = ArrayFilterIdentifier(part);
    if (!identifier || identifier->empty()) continue;
    if (!filters_.Has(*identifier)) {
      return Error(ErrorCode::kBadValue, StrCat("No array filter found for identifier '",
                                                *identifier, "' in path '", text, "'"));
    }
    used_filters_.emplace(*identifier);
  }
  return absl::OkStatus();
}

absl::Status OperatorUpdate::CheckAllFiltersUsed(bson::View u) const {
  for (const std::string_view name : filters_.Names()) {
    if (used_filters_.find(name) != used_filters_.end()) continue;
    return Error(ErrorCode::kFailedToParse,
                 StrCat("The array filter for identifier '", name, "' was not used in the update ",
                        bson::ToShellText(u)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<const Update>> ParseOperatorUpdate(
    bson::View u, const UpdateParseContext& context) {
  return OperatorUpdate::Make(u, context);
}

}  // namespace mayfly::engine
