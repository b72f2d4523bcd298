#include "commands/plan_description.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "bson/json.h"
#include "bson/number.h"

namespace mayfly::commands {
namespace {

using engine::AccessPath;
using engine::Direction;
using engine::Interval;

std::string_view DirectionName(Direction direction) {
  return direction == Direction::kForward ? "forward" : "backward";
}

std::string BoundText(const Interval& interval, bool backward) {
  const bool low_first = !backward;
  const bson::Value& first = low_first ? interval.low : interval.high;
  const bson::Value& second = low_first ? interval.high : interval.low;
  const bool first_in = low_first ? interval.low_inclusive : interval.high_inclusive;
  const bool second_in = low_first ? interval.high_inclusive : interval.low_inclusive;
  return base::StrCat(first_in ? "[" : "(", bson::ToShellText(first), ", ",
                      bson::ToShellText(second), second_in ? "]" : ")");
}

// Writes the stages from the outside in; each opens a document and those inside stand in its
// `inputStage`.
class Describer {
 public:
  Describer(const PlanDescription& plan, bson::Builder& out) : plan_(plan), out_(out) {}

  void Run(std::string_view field, bool is_winner) {
    mark_ = is_winner;
    field = Purposed(field);
    Access(Outer(field), plan_.path, !plan_.path.exact);
    while (open_ > 0) {
      out_.Close();
      --open_;
    }
  }

 private:
  void Number(std::string_view name, int64_t value) {
    out_.Append(name, bson::Value::IntFitting(value));
  }

  void Counts(int64_t returned) {
    if (!plan_.counts.has_value()) return;
    Number("nReturned", returned);
    Number("executionTimeMillisEstimate", plan_.counts->millis);
    const int64_t works = std::max(plan_.counts->keys, plan_.counts->documents) + 1;
    Number("works", works);
    Number("advanced", returned);
    Number("needTime", std::max<int64_t>(0, works - 1 - returned));
    Number("needYield", 0);
    Number("saveState", 0);
    Number("restoreState", 0);
    out_.Int32("isEOF", 1);
  }

  int64_t Returned() const { return plan_.counts.has_value() ? plan_.counts->returned : 0; }
  int64_t Documents() const { return plan_.counts.has_value() ? plan_.counts->documents : 0; }

  void Begin(std::string_view field, std::string_view stage) {
    out_.OpenDocument(field);
    if (std::exchange(mark_, false)) out_.Bool("isCached", false);
    out_.String("stage", stage);
  }

  void Open(std::string_view field, std::string_view stage, int64_t returned) {
    Begin(field, stage);
    Counts(returned);
    ++open_;
  }

  // What the command does with the documents. Returns the field in which the search goes.
  std::string_view Purposed(std::string_view field) {
    switch (plan_.purpose) {
      case Purpose::kRead:
        return field;
      case Purpose::kDistinct:
        if (!plan_.entries_only) return field;
        Open(field, "PROJECTION_COVERED", Returned());
        out_.OpenDocument("transformBy").Int32("_id", 0).Int32(plan_.key, 1).Close();
        break;
      case Purpose::kCount:
        Open(field, "COUNT", 0);
        if (plan_.counts.has_value()) {
          Number("nCounted", plan_.counts->returned);
          Number("nSkipped", plan_.request.skip);
        }
        break;
      case Purpose::kUpdate:
        Open(field, "UPDATE", 0);
        if (plan_.counts.has_value()) {
          Number("nMatched", plan_.counts->returned);
          Number("nWouldModify", plan_.counts->modified);
          Number("nWouldUpsert", plan_.counts->inserted);
        }
        break;
      case Purpose::kDelete:
        Open(field, "DELETE", 0);
        if (plan_.counts.has_value()) Number("nWouldDelete", plan_.counts->returned);
        break;
    }
    return "inputStage";
  }

  // Limit, skip, projection and sort. Returns the field in which the access stage goes.
  std::string_view Outer(std::string_view field) {
    const engine::FindRequest& request = plan_.request;
    const bool sorts = !request.sort.empty() && !plan_.path.sorted && !request.sort.Has("$natural");
    const bool cuts = plan_.purpose == Purpose::kRead;
    if (cuts && request.limit > 0 && !sorts) {
      Open(field, "LIMIT", Returned());
      Number("limitAmount", request.limit);
      field = "inputStage";
    }
    if (cuts && request.skip > 0) {
      Open(field, "SKIP", Returned());
      Number("skipAmount", request.skip);
      field = "inputStage";
    }
    if (cuts && request.return_key) {
      Open(field, "RETURN_KEY", Returned());
      field = "inputStage";
    }
    if (!request.projection.empty()) {
      Open(field, ProjectionStage(), Returned());
      out_.Document("transformBy", request.projection);
      field = "inputStage";
    }
    if (sorts) {
      Open(field, "SORT", Returned());
      out_.Document("sortPattern", request.sort);
      Number("memLimit", engine::kStageMemoryLimitBytes);
      if (request.limit > 0) Number("limitAmount", request.limit + request.skip);
      out_.String("type", "simple");
      field = "inputStage";
    }
    return field;
  }

  std::string_view ProjectionStage() const {
    if (plan_.entries_only) return "PROJECTION_COVERED";
    return IsSimple(plan_.request.projection) ? "PROJECTION_SIMPLE" : "PROJECTION_DEFAULT";
  }

  static bool IsSimple(bson::View projection) {
    for (const bson::Element& element : projection) {
      if (element.key.find('.') != std::string_view::npos) return false;
      if (!element.value.IsNumber() && !element.value.IsBool()) return false;
    }
    return true;
  }

  void Filter() {
    bson::Builder filter;
    plan_.filter.Serialize(&filter);
    const bson::Document document = filter.Finish();
    if (!document.empty()) out_.Document("filter", document);
  }

  // What the stage that looks at documents hands on; not known where others cut it off.
  int64_t Found(bool filtered) const {
    const bool cut = plan_.request.skip > 0 || plan_.request.limit > 0;
    return filtered && !cut ? Returned() : Documents();
  }

  void Access(std::string_view field, const AccessPath& path, bool filtered) {
    switch (path.kind) {
      case AccessPath::Kind::kNothing:
        Begin(field, "EOF");
        Counts(0);
        out_.Close();
        return;
      case AccessPath::Kind::kCollectionScan:
        Begin(field, "COLLSCAN");
        if (filtered) Filter();
        Counts(Found(filtered));
        if (plan_.counts.has_value()) Number("docsExamined", plan_.counts->documents);
        out_.String("direction", DirectionName(path.direction)).Close();
        return;
      case AccessPath::Kind::kIdLookup:
        IdLookup(field, path, filtered);
        return;
      case AccessPath::Kind::kIndexScan:
        if (path.index->spec.clustered) return ClusteredScan(field, path, filtered);
        if (plan_.entries_only) {
          Entries(field, path);
        } else {
          Fetch(field, path, filtered);
        }
        return;
      case AccessPath::Kind::kUnion:
        Union(field, path);
        return;
    }
  }

  void Fetch(std::string_view field, const AccessPath& path, bool filtered) {
    Begin(field, "FETCH");
    if (filtered) Filter();
    Counts(Found(filtered));
    if (plan_.counts.has_value()) {
      Number("docsExamined", plan_.counts->documents);
      Number("alreadyHasObj", 0);
    }
    IndexScan("inputStage", path);
    out_.Close();
  }

  void Entries(std::string_view field, const AccessPath& path) {
    if (plan_.purpose == Purpose::kCount && path.ranges.size() == 1 && HasEnds(path)) {
      CountScan(field, path);
    } else {
      IndexScan(field, path);
    }
  }

  // COUNT_SCAN knows a lowest and a highest key.
  static bool HasEnds(const AccessPath& path) {
    return std::all_of(path.bounds.begin(), path.bounds.end(),
                       [](const engine::Intervals& one) { return one.size() == 1; });
  }

  void CountScan(std::string_view field, const AccessPath& path) {
    Begin(field, "COUNT_SCAN");
    Counts(0);
    IndexFacts(path);
    out_.OpenDocument("indexBounds");
    EndKey("startKey", path, true);
    EndKey("endKey", path, false);
    out_.Close();
    if (plan_.counts.has_value()) Number("keysExamined", plan_.counts->keys);
    out_.Close();
  }

  void EndKey(std::string_view name, const AccessPath& path, bool start) {
    bool inclusive = true;
    out_.OpenDocument(name);
    const auto& fields = path.index->spec.fields;
    for (size_t i = 0; i < fields.size(); ++i) {
      const bool low = start != (fields[i].kind == engine::IndexKind::kDescending);
      if (i < path.bounds.size()) {
        const Interval& interval = path.bounds[i].front();
        out_.Append(fields[i].path, low ? interval.low : interval.high);
        inclusive = inclusive && (low ? interval.low_inclusive : interval.high_inclusive);
      } else if (low) {
        out_.Append(fields[i].path, bson::Value::MinKey());
      } else {
        out_.Append(fields[i].path, bson::Value::MaxKey());
      }
    }
    out_.Close().Bool(base::StrCat(name, "Inclusive"), inclusive);
  }

  void ClusteredScan(std::string_view field, const AccessPath& path, bool filtered) {
    Begin(field, "CLUSTERED_IXSCAN");
    if (filtered) Filter();
    Counts(Found(filtered));
    if (plan_.counts.has_value()) Number("docsExamined", plan_.counts->documents);
    out_.String("direction", DirectionName(path.direction));
    if (!path.bounds.empty() && !path.bounds.front().empty()) {
      out_.Append("minRecord", path.bounds.front().front().low);
      out_.Append("maxRecord", path.bounds.front().back().high);
    }
    out_.Close();
  }

  void IdLookup(std::string_view field, const AccessPath& path, bool filtered) {
    if (filtered || plan_.purpose != Purpose::kRead) {
      if (path.index->spec.clustered) return ClusteredScan(field, path, filtered);
      Fetch(field, path, filtered);
      return;
    }
    Begin(field, path.index->spec.clustered ? "EXPRESS_CLUSTERED_IXSCAN" : "EXPRESS_IXSCAN");
    Counts(Documents());
    out_.String("keyPattern", "{ _id: 1 }").String("indexName", path.index->spec.name);
    if (plan_.counts.has_value()) {
      Number("keysExamined", plan_.counts->keys);
      Number("docsExamined", plan_.counts->documents);
      Number("fetched", plan_.counts->documents);
    }
    out_.Close();
  }

  void KeyPattern(const AccessPath& path) {
    if (path.wildcard_fields.empty()) {
      out_.Document("keyPattern", path.index->spec.key);
      return;
    }
    out_.OpenDocument("keyPattern");
    for (const engine::IndexField& field : path.wildcard_fields) {
      out_.Int32(field.path, field.descending ? -1 : 1);
    }
    out_.Close();
  }

  static bool IsMultikey(const engine::Index& index, const engine::IndexField& field, size_t i,
                         bool is_wildcard) {
    if (!is_wildcard) return (index.multikey_fields >> i & 1) != 0;
    return index.IsMultikey() && field.path != "$_path";
  }

  void IndexScan(std::string_view field, const AccessPath& path) {
    const engine::Index& index = *path.index;
    const bool is_wildcard = !path.wildcard_fields.empty();
    const auto& fields = is_wildcard ? path.wildcard_fields : index.spec.fields;
    Begin(field,
          plan_.purpose == Purpose::kDistinct && plan_.entries_only ? "DISTINCT_SCAN" : "IXSCAN");
    Counts(plan_.entries_only ? Returned() : Documents());
    IndexFacts(path);
    out_.String("direction", DirectionName(path.direction));
    out_.OpenDocument("indexBounds");
    for (size_t i = 0; i < fields.size(); ++i) {
      const bool descending = fields[i].kind == engine::IndexKind::kDescending;
      const bool backward = descending != (path.direction == Direction::kBackward);
      out_.OpenArray(fields[i].path);
      if (i < path.bounds.size()) {
        for (const Interval& interval : path.bounds[i])
          out_.PushString(BoundText(interval, backward));
      } else {
        out_.PushString(backward ? "[MaxKey, MinKey]" : "[MinKey, MaxKey]");
      }
      out_.Close();
    }
    out_.Close();
    if (plan_.counts.has_value()) {
      Number("keysExamined", plan_.counts->keys);
      Number("seeks", static_cast<int64_t>(path.ranges.size()));
      Number("dupsTested", index.IsMultikey() ? plan_.counts->keys : 0);
      Number("dupsDropped", 0);
    }
    out_.Close();
  }

  // What IXSCAN and COUNT_SCAN say of the index.
  void IndexFacts(const AccessPath& path) {
    const engine::Index& index = *path.index;
    const bool is_wildcard = !path.wildcard_fields.empty();
    const auto& fields = is_wildcard ? path.wildcard_fields : index.spec.fields;
    KeyPattern(path);
    out_.String("indexName", index.spec.name);
    if (index.spec.collation.has_value()) out_.Document("collation", *index.spec.collation);
    out_.Bool("isMultiKey", index.IsMultikey());
    out_.OpenDocument("multiKeyPaths");
    for (size_t i = 0; i < fields.size(); ++i) {
      out_.OpenArray(fields[i].path);
      if (IsMultikey(index, fields[i], i, is_wildcard)) out_.PushString(fields[i].path);
      out_.Close();
    }
    out_.Close();
    out_.Bool("isUnique", index.spec.unique || index.spec.IsId());
    out_.Bool("isSparse", index.spec.sparse || is_wildcard);
    out_.Bool("isPartial", index.spec.partial_filter.has_value()).Int32("indexVersion", 2);
  }

  void Union(std::string_view field, const AccessPath& path) {
    Begin(field, "FETCH");
    Filter();
    Counts(Found(true));
    if (plan_.counts.has_value()) Number("docsExamined", plan_.counts->documents);
    out_.OpenDocument("inputStage").String("stage", "OR");
    Counts(Documents());
    if (plan_.counts.has_value()) {
      Number("dupsTested", Documents());
      Number("dupsDropped", 0);
    }
    out_.OpenArray("inputStages");
    for (const AccessPath& branch : path.branches) {
      bson::Builder holder;
      Describer(plan_, holder).IndexScan("stage", branch);
      out_.PushDocument(holder.Finish().Find("stage").AsDocument());
    }
    out_.Close().Close().Close();
  }

  const PlanDescription& plan_;
  bson::Builder& out_;
  int open_ = 0;
  bool mark_ = false;  // the next stage is the outermost one of the winning plan
};

}  // namespace

void AppendPlan(std::string_view field, const PlanDescription& plan, bson::Builder& out) {
  Describer(plan, out).Run(field, false);
}

void AppendWinningPlan(const PlanDescription& plan, bson::Builder& out) {
  Describer(plan, out).Run("winningPlan", true);
}

}  // namespace mayfly::commands
