// ttlStatus: which rules a collection has, what is due and what comes next; and with a filter, when
// and why each matching document expires, or why it never does.
#include <array>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/strings.h"
#include "bson/builder.h"
#include "commands/collections.h"
#include "commands/command.h"
#include "commands/families.h"
#include "engine/exec/find_query.h"
#include "ttl/lifetime.h"
#include "ttl/service.h"
#include "ttl/survey.h"

namespace mayfly::commands {
namespace {

constexpr std::array kArguments = {
    ArgSpec{"filter", ArgType::kDocument, ArgUse::kOptional,
            "describe up to 100 matching documents instead of the collection"},
};

// Documents described in one reply.
constexpr int64_t kMaxDescribed = 100;

void AppendRemoval(const CommandContext& context, bson::Builder& reply) {
  const ttl::Service& service = context.services.ttl;
  const ttl::ClockGuard::State clock = service.clock_state();
  const std::string_view running = clock.suspicious ? "paused" : "on";
  reply.OpenDocument("removal").String("state", service.enabled() ? running : "off");
  if (clock.suspicious) {
    reply.String("pauseReason", clock.reason).Date("pausedSince", clock.since_ms);
    reply.Int64("clockOffByMillis", clock.off_by_ms).Int64("resumesInMillis", clock.trusted_in_ms);
  }
  reply.Close();
}

void AppendRules(const ttl::RuleSet& rules, bson::Builder& reply) {
  reply.OpenArray("rules");
  const auto append_index = [&](ttl::Rule rule, const engine::IndexSpec& index) {
    reply.PushOpenDocument().String("rule", ttl::RuleName(rule));
    reply.String("index", index.name).Document("key", index.key);
    reply.Int32("expireAfterSeconds", *index.expire_after_seconds);
    if (index.partial_filter.has_value()) {
      reply.Document("partialFilterExpression", *index.partial_filter);
    }
    reply.Close();
  };
  if (rules.last_write != nullptr) append_index(ttl::Rule::kLastWrite, rules.last_write->spec);
  for (const auto& index : rules.dates) append_index(ttl::Rule::kDate, index->spec);
  if (!rules.epoch_attribute.empty()) {
    reply.PushOpenDocument().String("rule", ttl::RuleName(ttl::Rule::kEpoch));
    reply.String("attributeName", rules.epoch_attribute).Close();
  }
  reply.Close();
}

void AppendSurvey(const ttl::Survey& survey, int64_t now_ms, bson::Builder& reply) {
  reply.OpenDocument("counts").Int64("visible", survey.visible);
  reply.Int64("ownTtl", survey.own_ttl).Int64("ttlNever", survey.never);
  reply.OpenDocument("ttlInvalid");
  for (const auto& [what, count] : survey.invalid_ttl) reply.Int64(what, count);
  reply.Close().Int64("withoutEnd", survey.without_end);
  reply.Int64("fromFuture", survey.from_future).Close();

  reply.OpenDocument("backlog").Int64("documents", survey.hidden + survey.due);
  reply.Int64("hidden", survey.hidden).Int64("stillVisible", survey.due);
  if (survey.oldest_due_ms.has_value()) {
    reply.Date("oldest", *survey.oldest_due_ms).Int64("ageMS", now_ms - *survey.oldest_due_ms);
  }
  reply.Close();
  if (survey.next_due_ms.has_value()) {
    reply.OpenDocument("next").Date("at", *survey.next_due_ms);
    reply.String("rule", ttl::RuleName(survey.next_rule)).Close();
  }
  reply.OpenDocument("expiring").Int64("nextMinute", survey.next_minute);
  reply.Int64("nextHour", survey.next_hour).Int64("nextDay", survey.next_day).Close();
}

// The sentences about one document, the one that decides first.
std::vector<std::string> Reasons(const ttl::RuleSet& rules, const engine::RecordView& record,
                                 const std::vector<ttl::RuleFinding>& findings, int64_t now_ms) {
  std::vector<std::string> reasons;
  const ttl::RuleFinding* earliest = ttl::Earliest(findings);
  if (earliest != nullptr) reasons.push_back(ttl::Describe(rules, *earliest, record.document));
  for (const ttl::RuleFinding& finding : findings) {
    if (&finding != earliest) reasons.push_back(ttl::Describe(rules, finding, record.document));
  }
  if (rules.empty()) reasons.push_back("the collection has no rule of expiry");
  std::string unused = ttl::DescribeUnusedTtl(rules, record.document);
  if (!unused.empty()) reasons.push_back(std::move(unused));
  if (record.header.modified_ms > now_ms) {
    reasons.push_back("its last modification lies in the future of the server's clock");
  }
  return reasons;
}

absl::Status AppendDocument(const engine::ExecutionContext& execution, const ttl::RuleSet& rules,
                            const engine::RecordView& record, int64_t now_ms,
                            bson::Builder& reply) {
  std::vector<ttl::RuleFinding> findings;
  MAYFLY_RETURN_IF_ERROR(ttl::FindExpiry(rules, record, execution.evaluation, &findings));
  reply.PushOpenDocument().Append("_id", record.document.Find("_id"));
  reply.String("state", ttl::VisibilityName(ttl::VisibilityAt(findings, now_ms)));
  if (const ttl::RuleFinding* earliest = ttl::Earliest(findings); earliest != nullptr) {
    reply.Date("expiresAt", earliest->due_ms).String("rule", ttl::RuleName(earliest->rule));
  } else {
    reply.Null("expiresAt");
  }
  reply.Date("lastModified", record.header.modified_ms).OpenArray("why");
  for (const std::string& reason : Reasons(rules, record, findings, now_ms)) {
    reply.PushString(reason);
  }
  reply.Close().Close();
  return absl::OkStatus();
}

absl::Status DescribeMatching(CommandContext& context, bson::View filter,
                              const std::shared_ptr<engine::Collection>& collection,
                              const ttl::RuleSet& rules, bson::Builder& reply) {
  engine::ExecutionContext execution = MakeExecutionContext(context);
  // Nothing is expired at this moment, so the search also finds what is hidden: where a document
  // went is what the command is asked for.
  execution.now_ms = std::numeric_limits<int64_t>::min();
  const engine::FindRequest request{.filter = filter, .limit = kMaxDescribed + 1};
  MAYFLY_ASSIGN_OR_RETURN(
      const auto query, engine::FindQuery::Parse(request, collection.get(), &execution.evaluation));
  MAYFLY_ASSIGN_OR_RETURN(const auto stream, query->MakeUnprojectedStream(execution, collection));
  engine::Row row;
  int64_t described = 0;
  reply.OpenArray("documents");
  while (true) {
    MAYFLY_ASSIGN_OR_RETURN(const bool more, stream->Next(&row));
    if (!more || described == kMaxDescribed) {
      reply.Close().Bool("more", more);
      return absl::OkStatus();
    }
    MAYFLY_ASSIGN_OR_RETURN(const auto found, context.transaction->GetRecord(
                                                  collection->state().records, row.record_id));
    if (!found.has_value()) continue;
    const std::string bytes(*found);
    MAYFLY_RETURN_IF_ERROR(
        AppendDocument(execution, rules, engine::ReadRecord(bytes), context.now_ms, reply));
    ++described;
  }
}

absl::Status RunTtlStatus(CommandContext& context, const Arguments& arguments,
                          bson::Builder& reply) {
  MAYFLY_ASSIGN_OR_RETURN(const std::string_view name, TargetCollectionName(context, arguments));
  MAYFLY_ASSIGN_OR_RETURN(const auto collection, FindStored(context, name));
  if (collection == nullptr) return NamespaceNotFound(FullName(context, name));
  const ttl::RuleSet rules = ttl::RulesOf(*collection);
  reply.String("ns", FullName(context, name)).Date("now", context.now_ms);
  AppendRemoval(context, reply);
  AppendRules(rules, reply);
  if (arguments.Has(0)) {
    return DescribeMatching(context, arguments.Document(0), collection, rules, reply);
  }
  engine::ExecutionContext execution = MakeExecutionContext(context);
  MAYFLY_ASSIGN_OR_RETURN(const ttl::Survey survey,
                          ttl::SurveyCollection(execution, collection, rules));
  AppendSurvey(survey, context.now_ms, reply);
  return absl::OkStatus();
}

constexpr CommandRow kRows[] = {
    {.name = "ttlStatus",
     .place = Place::kRead,
     .flags = kNoApiVersion,
     .run = RunTtlStatus,
     .arguments = kArguments,
     .help = "Says what expires in a collection, when, and why or why not."},
};

}  // namespace

std::span<const CommandRow> TtlStatusCommands() { return kRows; }

}  // namespace mayfly::commands
