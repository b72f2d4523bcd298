#include "engine/update/update_walk.h"

#include <algorithm>
#include <charconv>

#include "base/limits.h"
#include "base/status.h"
#include "base/strings.h"
#include "bson/json.h"
#include "engine/expression/path.h"

namespace mayfly::engine {
namespace {

using base::Error;
using base::ErrorCode;
using base::StrCat;
using Kind = UpdateNode::Kind;

// Nulls that may be put into an array before a new element far beyond its end.
constexpr uint32_t kMaxPadding = 1'500'000;

// Levels of containers in `value`: 0 for a scalar.
int Levels(bson::ValueView value, int limit) {
  if (!value.IsContainer() || limit == 0) return 0;
  int deepest = 0;
  for (const bson::Element& element : value.AsDocument()) {
    deepest = std::max(deepest, Levels(element.value, limit - 1));
  }
  return deepest + 1;
}

std::string_view LastPart(std::string_view path) {
  const size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::string_view FirstPart(std::string_view path) { return path.substr(0, path.find('.')); }

// "{a: 5}", as texts about a value in the way show it.
std::string Show(std::string_view path, bson::ValueView value) {
  return StrCat("{", LastPart(path), ": ", bson::ToShellText(value), "}");
}

}  // namespace

UpdateWalk::UpdateWalk(const ArrayFilters& filters, const UpdateApplyContext& context,
                       bool is_insert)
    : filters_(&filters), context_(&context), is_insert_(is_insert) {}

absl::StatusOr<bool> UpdateWalk::Run(const UpdateNode& root, bson::View doc, bson::Builder* out) {
  document_ = doc;
  out_ = out;
  return Fields(root, doc);
}

absl::StatusOr<bool> UpdateWalk::Value(const UpdateNode& node, const Slot& slot,
                                       bson::ValueView value) {
  switch (node.kind) {
    case Kind::kLeaf:
      return Leaf(node, slot, value);
    case Kind::kFields: {
      if (!value.IsContainer()) {
        blocked_size_ = path_.size();
        MAYFLY_RETURN_IF_ERROR(CheckNotBlocked(node, value));
        Put(slot, value);
        return false;
      }
      Open(slot, value.IsArray());
      MAYFLY_ASSIGN_OR_RETURN(const bool changed, value.IsArray()
                                                      ? Indexes(node, value.AsDocument())
                                                      : Fields(node, value.AsDocument()));
      out_->Close();
      return changed;
    }
    case Kind::kElements: {
      if (!value.IsArray()) {
        return Error(ErrorCode::kBadValue,
                     StrCat("Cannot apply array updates to non-array element ", LastPart(path_),
                            ": ", bson::ToShellText(value)));
      }
      Open(slot, true);
      MAYFLY_ASSIGN_OR_RETURN(const bool changed, Elements(node, value.AsDocument()));
      out_->Close();
      return changed;
    }
  }
  return false;
}

absl::StatusOr<bool> UpdateWalk::Leaf(const UpdateNode& node, const Slot& slot,
                                      bson::ValueView value) {
  MAYFLY_ASSIGN_OR_RETURN(const UpdateChange change, node.op->Apply(Target(value)));
  switch (change.kind) {
    case UpdateChange::Kind::kNone:
      Put(slot, value);
      return false;
    case UpdateChange::Kind::kRemove:
      if (!slot.in_array) return true;
      Put(slot, bson::Value::Null());
      return !value.IsNull();
    case UpdateChange::Kind::kReplace:
      MAYFLY_RETURN_IF_ERROR(CheckName());
      MAYFLY_RETURN_IF_ERROR(CheckDepth(change.value));
      Put(slot, change.value);
      return true;
  }
  return false;
}

absl::StatusOr<bool> UpdateWalk::Fields(const UpdateNode& node, bson::View doc) {
  MAYFLY_ASSIGN_OR_RETURN(const Children children, ChildrenOf(node));
  std::vector<bool> found(children.list().size());
  bool changed = false;
  for (const bson::Element& element : doc) {
    const auto child =
        std::find_if(children.list().begin(), children.list().end(),
                     [&](const UpdateNode::Child& c) { return c.first == element.key; });
    const size_t at = static_cast<size_t>(child - children.list().begin());
    if (child == children.list().end() || found[at]) {
      out_->Append(element);
      continue;
    }
    found[at] = true;
    Enter(element.key);
    MAYFLY_ASSIGN_OR_RETURN(const bool child_changed,
                            Value(*child->second, {element.key}, element.value));
    if (child_changed && depth_ == 1 && element.key == "_id") {
      return Error(ErrorCode::kImmutableField,
                   "Performing an update on the path '_id' would modify the immutable field '_id'");
    }
    Leave(element.key);
    changed |= child_changed;
  }
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i]) continue;
    const auto& [name, child] = children.list()[i];
    Enter(name);
    MAYFLY_ASSIGN_OR_RETURN(const bool creates, Creates(*child));
    if (creates) MAYFLY_RETURN_IF_ERROR(Create(*child, {name}));
    Leave(name);
    changed |= creates;
  }
  return changed;
}

absl::StatusOr<bool> UpdateWalk::Indexes(const UpdateNode& node, bson::View array) {
  MAYFLY_ASSIGN_OR_RETURN(const Children children, ChildrenOf(node));
  for (const auto& [name, child] : children.list()) {
    if (ArrayIndex(name)) continue;
    blocked_size_ = path_.size();
    Enter(name);
    MAYFLY_RETURN_IF_ERROR(
        CheckNotBlocked(*child, bson::ValueView(bson::Type::kArray, array.data(), array.size())));
    Leave(name);
  }
  // The children are ordered by index, names that are none come last.
  auto next = children.list().begin();
  uint32_t index = 0;
  bool changed = false;
  for (const bson::Element& element : array) {
    while (next != children.list().end() && !ArrayIndex(next->first)) ++next;
    if (next == children.list().end() || *ArrayIndex(next->first) != index) {
      out_->Push(element.value);
    } else {
      Enter(next->first);
      MAYFLY_ASSIGN_OR_RETURN(const bool child_changed,
                              Value(*next->second, {next->first, true}, element.value));
      Leave(next->first);
      changed |= child_changed;
      ++next;
    }
    ++index;
  }
  MAYFLY_ASSIGN_OR_RETURN(const bool appended, AppendIndexes(children, array, index));
  return changed || appended;
}

absl::StatusOr<bool> UpdateWalk::AppendIndexes(const Children& children, bson::View array,
                                               uint32_t size) {
  const uint32_t size_before = size;
  for (const auto& [name, child] : children.list()) {
    const std::optional<uint32_t> index = ArrayIndex(name);
    if (!index || *index < size_before) continue;
    Enter(name);
    MAYFLY_ASSIGN_OR_RETURN(const bool creates, Creates(*child));
    if (creates) {
      if (*index - size > kMaxPadding) {
        return Error(ErrorCode::kCannotBackfillArray,
                     StrCat("can't backfill more than ", kMaxPadding, " elements"));
      }
      for (; size < *index; ++size) out_->Push(bson::Value::Null());
      MAYFLY_RETURN_IF_ERROR(Create(*child, {name, true}));
      ++size;
    }
    Leave(name);
  }
  return size != size_before;
}

absl::StatusOr<bool> UpdateWalk::Elements(const UpdateNode& node, bson::View array) {
  bool changed = false;
  uint32_t index = 0;
  for (const bson::Element& element : array) {
    char digits[12];
    const auto end = std::to_chars(digits, digits + sizeof digits, index++).ptr;
    const std::string_view name(digits, static_cast<size_t>(end - digits));
    Enter(name);
    MAYFLY_ASSIGN_OR_RETURN(const UpdateNodePtr child, NodeFor(node, element.value));
    if (child == nullptr) {
      out_->Push(element.value);
    } else {
      MAYFLY_ASSIGN_OR_RETURN(const bool child_changed, Value(*child, {name, true}, element.value));
      changed |= child_changed;
    }
    Leave(name);
  }
  return changed;
}

// The updates of all identifiers that choose `element`, merged; null if none does.
absl::StatusOr<UpdateNodePtr> UpdateWalk::NodeFor(const UpdateNode& node, bson::ValueView element) {
  UpdateNodePtr chosen;
  for (const auto& [identifier, child] : node.children) {
    if (!identifier.empty()) {
      MAYFLY_ASSIGN_OR_RETURN(const bool matches,
                              filters_->Matches(identifier, element, *context_->evaluation));
      if (!matches) continue;
    }
    if (chosen == nullptr) {
      chosen = child;
      continue;
    }
    UpdateNodePtr& merged = merged_[{chosen.get(), child.get()}];
    if (merged == nullptr) {
      MAYFLY_ASSIGN_OR_RETURN(merged, MergeTrees(chosen, child, path_));
    }
    chosen = merged;
  }
  return chosen;
}

absl::StatusOr<bool> UpdateWalk::Creates(const UpdateNode& node) {
  switch (node.kind) {
    case Kind::kLeaf:
      return node.op->OnMissingPath(Target({})) == MissingPath::kCreate;
    case Kind::kElements:
      return Error(ErrorCode::kBadValue,
                   StrCat("The path '", path_,
                          "' must exist in the document in order to apply array updates."));
    case Kind::kFields: {
      MAYFLY_ASSIGN_OR_RETURN(const Children children, ChildrenOf(node));
      bool any = false;
      for (const auto& [name, child] : children.list()) {
        Enter(name);
        MAYFLY_ASSIGN_OR_RETURN(const bool creates, Creates(*child));
        Leave(name);
        any |= creates;
      }
      return any;
    }
  }
  return false;
}

absl::Status UpdateWalk::Create(const UpdateNode& node, const Slot& slot) {
  MAYFLY_RETURN_IF_ERROR(CheckName());
  if (node.kind == Kind::kLeaf) {
    MAYFLY_ASSIGN_OR_RETURN(const UpdateChange change, node.op->Apply(Target({})));
    MAYFLY_RETURN_IF_ERROR(CheckDepth(change.value));
    Put(slot, change.value);
    return absl::OkStatus();
  }
  MAYFLY_ASSIGN_OR_RETURN(const Children children, ChildrenOf(node));
  Open(slot, false);
  for (const auto& [name, child] : children.list()) {
    Enter(name);
    MAYFLY_ASSIGN_OR_RETURN(const bool creates, Creates(*child));
    if (creates) MAYFLY_RETURN_IF_ERROR(Create(*child, {name}));
    Leave(name);
  }
  out_->Close();
  return absl::OkStatus();
}

absl::Status UpdateWalk::CheckNotBlocked(const UpdateNode& node, bson::ValueView in_the_way) {
  if (node.kind == Kind::kElements) return Creates(node).status();
  if (node.kind == Kind::kFields) {
    MAYFLY_ASSIGN_OR_RETURN(const Children children, ChildrenOf(node));
    for (const auto& [name, child] : children.list()) {
      Enter(name);
      MAYFLY_RETURN_IF_ERROR(CheckNotBlocked(*child, in_the_way));
      Leave(name);
    }
    return absl::OkStatus();
  }
  const std::string_view parent = std::string_view(path_).substr(0, blocked_size_);
  const std::string_view part = FirstPart(std::string_view(path_).substr(blocked_size_ + 1));
  switch (node.op->OnMissingPath(Target({}))) {
    case MissingPath::kIgnore:
      return absl::OkStatus();
    case MissingPath::kIgnoreIfViable:
      return Error(ErrorCode::kPathNotViable,
                   StrCat("Cannot use the part (", part, ") of (", path_, ") to traverse element (",
                          Show(parent, in_the_way), ")"));
    case MissingPath::kCreate:
      return Error(ErrorCode::kPathNotViable, StrCat("Cannot create field '", part, "' in element ",
                                                     Show(parent, in_the_way)));
  }
  return absl::OkStatus();
}

absl::StatusOr<UpdateWalk::Children> UpdateWalk::ChildrenOf(const UpdateNode& node) {
  Children children{&node.children, {}};
  if (node.positional == nullptr) return children;
  if (!context_->matched_index) {
    return Error(ErrorCode::kBadValue,
                 "The positional operator did not find the match needed from the query.");
  }
  const std::string index = std::to_string(*context_->matched_index);
  children.own = node.children;
  const auto at =
      std::find_if(children.own.begin(), children.own.end(),
                   [&](const UpdateNode::Child& c) { return !CreatedBefore(c.first, index); });
  if (at != children.own.end() && at->first == index) {
    MAYFLY_ASSIGN_OR_RETURN(at->second,
                            MergeTrees(at->second, node.positional, StrCat(path_, ".", index)));
  } else {
    children.own.insert(at, {index, node.positional});
  }
  children.shared = nullptr;
  return children;
}

UpdateTarget UpdateWalk::Target(bson::ValueView value) const {
  return {.value = value,
          .path = path_,
          .document = document_,
          .evaluation = context_->evaluation,
          .is_insert = is_insert_};
}

// Names at the top level that begin with `$` may come into a document when it is inserted, but not
// by an update.
absl::Status UpdateWalk::CheckName() const {
  if (is_insert_ || depth_ != 1 || path_.empty() || path_[0] != '$') return absl::OkStatus();
  return Error(
      ErrorCode::kDollarPrefixedFieldName,
      StrCat(
          "The dollar ($) prefixed field '", path_, "' in '", path_,
          "' is not allowed in the context of an update's replacement document. Consider using an "
          "aggregation pipeline with $replaceWith."));
}

absl::Status UpdateWalk::CheckDepth(bson::ValueView value) const {
  if (!value.IsContainer() && depth_ <= base::kMaxStoredNestingDepth) return absl::OkStatus();
  if (depth_ + Levels(value, base::kMaxStoredNestingDepth) <= base::kMaxStoredNestingDepth) {
    return absl::OkStatus();
  }
  return Error(ErrorCode::kOverflow,
               StrCat("Document exceeds maximum nesting depth of ", base::kMaxStoredNestingDepth));
}

void UpdateWalk::Put(const Slot& slot, bson::ValueView value) {
  if (slot.in_array) {
    out_->Push(value);
  } else {
    out_->Append(slot.key, value);
  }
}

void UpdateWalk::Open(const Slot& slot, bool array) {
  if (slot.in_array) {
    array ? out_->PushOpenArray() : out_->PushOpenDocument();
  } else {
    array ? out_->OpenArray(slot.key) : out_->OpenDocument(slot.key);
  }
}

void UpdateWalk::Enter(std::string_view part) {
  if (++depth_ > 1) path_ += '.';
  path_ += part;
}

void UpdateWalk::Leave(std::string_view part) {
  path_.resize(path_.size() - part.size() - (depth_ > 1 ? 1 : 0));
  --depth_;
}

}  // namespace mayfly::engine
