// Applies an update tree to one document in one walk over its bytes: what the tree does not touch
// is copied.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "bson/builder.h"
#include "engine/update/array_filters.h"
#include "engine/update/update_tree.h"

namespace mayfly::engine {

// One application. Not thread-safe; made per document.
class UpdateWalk {
 public:
  UpdateWalk(const ArrayFilters& filters, const UpdateApplyContext& context, bool is_insert);

  // Writes the fields of `doc`, updated, into `*out` and returns whether any differs. Errors: 66 if
  // `_id` was there and differs afterwards, and those of Update::Apply.
  absl::StatusOr<bool> Run(const UpdateNode& root, bson::View doc, bson::Builder* out);

 private:
  // Where a value goes: under a key of a document, or at the end of an array.
  struct Slot {
    std::string_view key;
    bool in_array = false;
  };
  // The children of a node for one document: `$` is replaced by the index that matched.
  struct Children {
    const std::vector<UpdateNode::Child>* shared;  // null: `own`
    std::vector<UpdateNode::Child> own;

    const std::vector<UpdateNode::Child>& list() const { return shared != nullptr ? *shared : own; }
  };

  absl::StatusOr<bool> Value(const UpdateNode& node, const Slot& slot, bson::ValueView value);
  absl::StatusOr<bool> Leaf(const UpdateNode& node, const Slot& slot, bson::ValueView value);
  absl::StatusOr<bool> Fields(const UpdateNode& node, bson::View doc);
  absl::StatusOr<bool> Indexes(const UpdateNode& node, bson::View array);
  absl::StatusOr<bool> Elements(const UpdateNode& node, bson::View array);
  absl::StatusOr<bool> AppendIndexes(const Children& children, bson::View array, uint32_t size);
  absl::StatusOr<UpdateNodePtr> NodeFor(const UpdateNode& node, bson::ValueView element);

  // Whether applying `node` to a path that is not there makes one. Error if it must not be applied
  // at all.
  absl::StatusOr<bool> Creates(const UpdateNode& node);
  absl::Status Create(const UpdateNode& node, const Slot& slot);
  // Ok if none of the operators below `node` needs its path to be possible; else 28 for the value
  // in the way, whose path is the first `blocked_size_` bytes of `path_`.
  absl::Status CheckNotBlocked(const UpdateNode& node, bson::ValueView in_the_way);

  absl::StatusOr<Children> ChildrenOf(const UpdateNode& node);
  UpdateTarget Target(bson::ValueView value) const;
  // 52 if something must not be written at `path_`.
  absl::Status CheckName() const;
  absl::Status CheckDepth(bson::ValueView value) const;
  void Put(const Slot& slot, bson::ValueView value);
  void Open(const Slot& slot, bool array);
  void Enter(std::string_view part);
  void Leave(std::string_view part);

  const ArrayFilters* filters_;
  const UpdateApplyContext* context_;
  bool is_insert_;
  bson::View document_;
  bson::Builder* out_ = nullptr;
  std::string path_;  // of the current value, dotted
  int depth_ = 0;     // parts in path_
  size_t blocked_size_ = 0;
  std::map<std::pair<const UpdateNode*, const UpdateNode*>, UpdateNodePtr> merged_;
};

}  // namespace mayfly::engine
