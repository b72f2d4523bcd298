#include "commands/plan_description.h"

#include <string>
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

  void Run(std::string_view field, std::string_view wrapper) {
    if (!wrapper.empty()) Open(field, wrapper);
    field = wrapper.empty() ? field : "inputStage";
    const std::string_view inner = Outer(field);
    Access(inner, plan_.path, !plan_.path.exact);
    while (open_ > 0) {
      out_.Close();
      --open_;
    }
  }

 private:
  void Counts() {
    if (!plan_.counts.has_value()) return;
    out_.Int64("nReturned", plan_.counts->returned)
        .Int64("executionTimeMillisEstimate", plan_.counts->millis);
    out_.Int64("works", plan_.counts->keys + plan_.counts->documents + 1)
        .Int64("advanced", plan_.counts->returned);
    out_.Int64("needTime", 0).Int64("needYield", 0).Int64("saveState", 0).Int64("restoreState", 0);
    out_.Int32("isEOF", 1);
  }

  void Open(std::string_view field, std::string_view stage) {
    out_.OpenDocument(field).String("stage", stage);
    Counts();
    ++open_;
  }

  // Limit, skip, projection and sort. Returns the field in which the access stage goes.
  std::string_view Outer(std::string_view field) {
    const engine::FindRequest& request = plan_.request;
    const bool sorts = !request.sort.empty() && !plan_.path.sorted && !request.sort.Has("$natural");
    if (request.limit > 0 && !sorts) {
      Open(field, "LIMIT");
      out_.Int64("limitAmount", request.limit);
      field = "inputStage";
    }
    if (request.skip > 0) {
      Open(field, "SKIP");
      out_.Int64("skipAmount", request.skip);
      field = "inputStage";
    }
    if (!request.projection.empty()) {
      Open(field, IsSimple(request.projection) ? "PROJECTION_SIMPLE" : "PROJECTION_DEFAULT");
      out_.Document("transformBy", request.projection);
      field = "inputStage";
    }
    if (sorts) {
      Open(field, "SORT");
      out_.Document("sortPattern", request.sort).Int64("memLimit", engine::kStageMemoryLimitBytes);
      if (request.limit > 0) out_.Int64("limitAmount", request.limit + request.skip);
      out_.String("type", "simple");
      field = "inputStage";
    }
    return field;
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

  void Access(std::string_view field, const AccessPath& path, bool filtered) {
    switch (path.kind) {
      case AccessPath::Kind::kNothing:
        out_.OpenDocument(field).String("stage", "EOF").Close();
        return;
      case AccessPath::Kind::kCollectionScan:
        out_.OpenDocument(field).String("stage", "COLLSCAN");
        if (filtered) Filter();
        Counts();
        if (plan_.counts.has_value()) out_.Int64("docsExamined", plan_.counts->documents);
        out_.String("direction", DirectionName(path.direction)).Close();
        return;
      case AccessPath::Kind::kIdLookup:
        IdLookup(field, path, filtered);
        return;
      case AccessPath::Kind::kIndexScan:
        out_.OpenDocument(field).String("stage", "FETCH");
        if (filtered) Filter();
        Counts();
        if (plan_.counts.has_value()) out_.Int64("docsExamined", plan_.counts->documents);
        IndexScan("inputStage", path);
        out_.Close();
        return;
      case AccessPath::Kind::kUnion:
        Union(field, path);
        return;
    }
  }

  void IdLookup(std::string_view field, const AccessPath& path, bool filtered) {
    if (!filtered) {
      out_.OpenDocument(field).String("stage", "EXPRESS_IXSCAN");
      Counts();
      out_.String("keyPattern", "{ _id: 1 }").String("indexName", "_id_").Close();
      return;
    }
    out_.OpenDocument(field).String("stage", "FETCH");
    Filter();
    Counts();
    IndexScan("inputStage", path);
    out_.Close();
  }

  void IndexScan(std::string_view field, const AccessPath& path) {
    const engine::Index& index = *path.index;
    out_.OpenDocument(field).String("stage", "IXSCAN");
    Counts();
    out_.Document("keyPattern", index.spec.key).String("indexName", index.spec.name);
    if (index.spec.collation.has_value()) out_.Document("collation", *index.spec.collation);
    out_.Bool("isMultiKey", index.IsMultikey());
    out_.OpenDocument("multiKeyPaths");
    for (size_t i = 0; i < index.spec.fields.size(); ++i) {
      out_.OpenArray(index.spec.fields[i].path);
      if ((index.multikey_fields >> i & 1) != 0) out_.PushString(index.spec.fields[i].path);
      out_.Close();
    }
    out_.Close();
    out_.Bool("isUnique", index.spec.unique || index.spec.IsId())
        .Bool("isSparse", index.spec.sparse);
    out_.Bool("isPartial", index.spec.partial_filter.has_value()).Int32("indexVersion", 2);
    out_.String("direction", DirectionName(path.direction));
    out_.OpenDocument("indexBounds");
    for (size_t i = 0; i < index.spec.fields.size(); ++i) {
      const bool descending = index.spec.fields[i].kind == engine::IndexKind::kDescending;
      const bool backward = descending != (path.direction == Direction::kBackward);
      out_.OpenArray(index.spec.fields[i].path);
      if (i < path.bounds.size()) {
        for (const Interval& interval : path.bounds[i])
          out_.PushString(BoundText(interval, backward));
      } else {
        out_.PushString("[MinKey, MaxKey]");
      }
      out_.Close();
    }
    out_.Close();
    if (plan_.counts.has_value()) {
      out_.Int64("keysExamined", plan_.counts->keys)
          .Int64("seeks", static_cast<int64_t>(path.ranges.size()));
      out_.Int64("dupsTested", 0).Int64("dupsDropped", 0);
    }
    out_.Close();
  }

  void Union(std::string_view field, const AccessPath& path) {
    out_.OpenDocument(field).String("stage", "FETCH");
    Filter();
    Counts();
    out_.OpenDocument("inputStage").String("stage", "OR");
    Counts();
    out_.OpenArray("inputStages");
    for (const AccessPath& branch : path.branches) {
      bson::Builder holder;
      bson::Builder& outer = out_;
      Describer inner(plan_, holder);
      inner.IndexScan("stage", branch);
      outer.PushDocument(holder.Finish().Find("stage").AsDocument());
    }
    out_.Close().Close().Close();
  }

  const PlanDescription& plan_;
  bson::Builder& out_;
  int open_ = 0;
};

}  // namespace

void AppendPlan(std::string_view field, const PlanDescription& plan, bson::Builder& out) {
  Describer(plan, out).Run(field, {});
}

void AppendPlanUnder(std::string_view field, std::string_view stage, const PlanDescription& plan,
                     bson::Builder& out) {
  Describer(plan, out).Run(field, stage);
}

}  // namespace mayfly::commands
