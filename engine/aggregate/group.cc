// $group: one document for every distinct value of an expression, with accumulators over its
// documents.
#include <array>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "engine/aggregate/accumulator.h"
#include "engine/aggregate/spill.h"
#include "engine/aggregate/stage_rows.h"
#include "engine/expression/value_set.h"
#include "engine/expression/values.h"

namespace mayfly::engine {
namespace {

using bson::Value;
using bson::ValueView;

struct GroupSpec {
  ExpressionPtr id;
  std::vector<NamedAccumulator> accumulators;
};

// The engine that MongoDB groups with has its own codes for divisions by zero.
absl::Status AsGroupError(const absl::Status& status) {
  constexpr base::ErrorCode kModByZero = base::ErrorCode(16610);
  if (base::CodeOf(status) == kModByZero) return base::Error(4848403, base::MessageOf(status));
  if (base::CodeOf(status) == base::ErrorCode::kBadValue &&
      base::MessageOf(status) == "can't $divide by zero") {
    return base::Error(4848401, base::MessageOf(status));
  }
  return status;
}

// An `_id` that was computed, as MongoDB gives it: code as its text, and the ends of the order
// inside a document.
Value ShownId(const Value& id) {
  const bson::Type type = id.view().type();
  if (type == bson::Type::kCode) return Value::String(id.view().AsString());
  if (type != bson::Type::kMinKey && type != bson::Type::kMaxKey) return id;
  bson::Builder wrapped;
  return Value::FromDocument(wrapped.Append("", id).Finish());
}

class GroupStream final : public StageStream {
 public:
  GroupStream(std::unique_ptr<Stream> source, const GroupSpec& spec, const Runtime& runtime)
      : StageStream(std::move(source)),
        spec_(spec),
        runtime_(runtime),
        frame_(*runtime.evaluation),
        index_(0, ValueHash{runtime.evaluation->strings}, ValueEqual{runtime.evaluation->strings}) {
  }

  absl::StatusOr<bool> Next(Row* row) override {
    if (!filled_) {
      absl::Status status = Fill();
      if (!status.ok()) return AsGroupError(status);
    }
    while (next_ >= groups_.size()) {
      if (waiting_.empty()) return false;
      absl::Status status = FillFromFile();
      if (!status.ok()) return AsGroupError(status);
    }
    Group& group = groups_[next_++];
    bson::Builder out;
    out.Append("_id", spec_.id->IsConstant() ? group.id : ShownId(group.id));
    for (size_t i = 0; i < group.states.size(); ++i) {
      MAYFLY_ASSIGN_OR_RETURN(Value value, group.states[i]->Result());
      out.Append(spec_.accumulators[i].name, value);
    }
    group.states.clear();
    *row = Row();
    row->Own(out.Finish());
    return true;
  }

 private:
  struct Group {
    Value id;
    std::vector<std::unique_ptr<Accumulator>> states;
  };
  // Rows of groups that found no room, apart from those of other hashes.
  struct Partition {
    std::unique_ptr<SpillFile> file;
    int level = 0;
  };
  static constexpr size_t kPartitions = 16;

  absl::Status Fill() {
    constexpr int64_t kRowsBetweenChecks = 64;
    Row row;
    for (int64_t count = 1;; ++count) {
      MAYFLY_ASSIGN_OR_RETURN(bool more, source().Next(&row));
      if (!more) break;
      MAYFLY_RETURN_IF_ERROR(Add(row));
      if (count % kRowsBetweenChecks == 0) {
        MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
        MAYFLY_RETURN_IF_ERROR(CheckMemory(runtime_, bytes_, "$group"));
      }
    }
    DropSource();
    filled_ = true;
    MAYFLY_RETURN_IF_ERROR(EndPartitions());
    return CheckMemory(runtime_, bytes_, "$group");
  }

  // The groups given so far are forgotten; those of one waiting file take their place.
  absl::Status FillFromFile() {
    const Partition partition = std::move(waiting_.back());
    waiting_.pop_back();
    index_.clear();
    groups_.clear();
    next_ = 0;
    bytes_ = 0;
    level_ = partition.level;
    SpilledRow spilled;
    while (true) {
      MAYFLY_ASSIGN_OR_RETURN(const bool more, partition.file->Read(&spilled));
      if (!more) break;
      MAYFLY_RETURN_IF_ERROR(Add(spilled.row));
      MAYFLY_RETURN_IF_ERROR(CheckInterrupt(runtime_));
    }
    return EndPartitions();
  }

  absl::Status EndPartitions() {
    for (std::unique_ptr<SpillFile>& file : partitions_) {
      if (file == nullptr) continue;
      MAYFLY_RETURN_IF_ERROR(file->Rewind());
      waiting_.push_back({std::move(file), level_ + 1});
    }
    return absl::OkStatus();
  }

  // A new group has no room: its rows wait in a file until the groups in memory are done.
  bool MustWait() const {
    return bytes_ > runtime_.memory_limit_bytes && runtime_.allow_disk_use && !groups_.empty();
  }

  absl::Status PutAside(const Row& row, ValueView id) {
    const size_t hash = absl::HashOf(ValueHash{runtime_.evaluation->strings}(id), level_);
    std::unique_ptr<SpillFile>& file = partitions_[hash % kPartitions];
    if (file == nullptr) {
      MAYFLY_ASSIGN_OR_RETURN(file, SpillFile::Make());
    }
    SpilledRow spilled;
    spilled.row.Borrow(row.doc(), row.record_id);
    spilled.row.text_score = row.text_score;
    spilled.row.near_distance = row.near_distance;
    spilled.row.near_point = row.near_point;
    return file->Write(spilled);
  }

  absl::Status Add(const Row& row) {
    frame_.root = row.doc();
    frame_.row = &row;
    MAYFLY_ASSIGN_OR_RETURN(Group * group, FindGroup(row));
    if (group == nullptr) return absl::OkStatus();
    frame_.root = row.doc();
    for (size_t i = 0; i < group->states.size(); ++i) {
      Accumulator& state = *group->states[i];
      const Expression* argument = spec_.accumulators[i].spec->argument();
      Value scratch;
      ValueView value;
      if (argument) {
        MAYFLY_ASSIGN_OR_RETURN(value, argument->View(frame_, &scratch));
      }
      const int64_t before = state.MemoryBytes();
      MAYFLY_RETURN_IF_ERROR(state.Add(value));
      bytes_ += state.MemoryBytes() - before;
    }
    return absl::OkStatus();
  }

  // The group of the row, which is the frame's, made if it is new; null if the row was put aside.
  absl::StatusOr<Group*> FindGroup(const Row& row) {
    Value scratch, null = Value::Null();
    MAYFLY_ASSIGN_OR_RETURN(ValueView id, spec_.id->View(frame_, &scratch));
    if (id.IsMissing()) id = null;
    auto found = index_.find(id);
    if (found != index_.end()) return &groups_[found->second];
    if (MustWait()) {
      MAYFLY_RETURN_IF_ERROR(PutAside(row, id));
      return nullptr;
    }
    Group group;
    group.id = Value(id);
    bson::Builder id_document;
    const bson::Document root =
        id.IsDocument() ? bson::Document(id.AsDocument()) : id_document.Append("_id", id).Finish();
    frame_.root = root;
    for (const NamedAccumulator& accumulator : spec_.accumulators) {
      MAYFLY_ASSIGN_OR_RETURN(std::unique_ptr<Accumulator> state, accumulator.spec->New(frame_));
      group.states.push_back(std::move(state));
    }
    constexpr int64_t kBytesPerState = 96;
    bytes_ += static_cast<int64_t>(sizeof(Group) + 2 * sizeof(Value) + id.size()) +
              kBytesPerState * static_cast<int64_t>(group.states.size());
    index_.emplace(group.id, groups_.size());
    groups_.push_back(std::move(group));
    return &groups_.back();
  }

  const GroupSpec& spec_;
  const Runtime& runtime_;
  Frame frame_;
  absl::flat_hash_map<Value, size_t, ValueHash, ValueEqual> index_;
  std::vector<Group> groups_;  // in order of first appearance
  std::array<std::unique_ptr<SpillFile>, kPartitions> partitions_;
  std::vector<Partition> waiting_;
  int level_ = 0;  // of the file that is being read; 0: the source
  int64_t bytes_ = 0;
  bool filled_ = false;
  size_t next_ = 0;
};

class GroupStage final : public Stage {
 public:
  GroupStage(const StageRow& row, GroupSpec spec) : Stage(row), spec_(std::move(spec)) {}

  absl::StatusOr<std::unique_ptr<Stream>> MakeStream(std::unique_ptr<Stream> source,
                                                     const Runtime& runtime) const override {
    return std::make_unique<GroupStream>(std::move(source), spec_, runtime);
  }
  Fields AddDependencies(Dependencies* out) const override {
    spec_.id->AddDependencies(out);
    for (const NamedAccumulator& accumulator : spec_.accumulators)
      accumulator.spec->AddDependencies(out);
    return Fields::kDropsOthers;
  }

 private:
  const GroupSpec spec_;
};

bool IsPlainObject(ValueView value) {
  if (!value.IsDocument() || value.AsDocument().empty()) return false;
  std::string_view key = value.AsDocument().First().key;
  return key.empty() || key[0] != '$';
}

absl::StatusOr<ExpressionPtr> ParseId(ValueView id, const ParseContext& context) {
  if (IsPlainObject(id)) {
    for (const bson::Element& element : id.AsDocument()) {
      if (!element.value.IsNumber() && !element.value.IsBool()) continue;
      return base::Error(17390, "$group does not support inclusion-style expressions");
    }
  }
  return ParseExpression(id, context);
}

absl::Status ParseGroup(ValueView operand, const StageRow& row, const PipelineContext& context,
                        std::vector<StagePtr>* out) {
  if (!operand.IsDocument())
    return base::Error(15947, "a group's fields must be specified in an object");
  GroupSpec spec;
  for (const bson::Element& element : operand.AsDocument()) {
    if (element.key == "_id") {
      if (spec.id) return base::Error(15948, "a group's _id may only be specified once");
      MAYFLY_ASSIGN_OR_RETURN(spec.id, ParseId(element.value, context.expressions));
      continue;
    }
    if (element.key == "$doingMerge") {
      return base::Error(17030, "$doingMerge should be true if present");
    }
    MAYFLY_ASSIGN_OR_RETURN(NamedAccumulator accumulator,
                            ParseNamedAccumulator(element, context.expressions));
    spec.accumulators.push_back(std::move(accumulator));
  }
  if (!spec.id) return base::Error(15955, "a group specification must include an _id");
  out->push_back(std::make_unique<GroupStage>(row, std::move(spec)));
  return absl::OkStatus();
}

}  // namespace

const StageRow kGroupRow = {"$group", ParseGroup,
                            "gives one document for every distinct value of an expression"};

}  // namespace mayfly::engine
