#include "backend/cause_text.h"
#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/diagnose/node_fit.h"
#include "backend/kubernetes/diagnose/patterns.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::backend {
namespace {

/// Returns the amounts after `word` in "exceeded quota: team, requested: cpu=4,memory=8Gi, used:
/// …".
Value::Map AmountsAfter(std::string_view message, std::string_view word) {
  Value::Map amounts;
  const std::size_t begin = message.find(word);
  if (begin == std::string_view::npos) return amounts;
  std::string_view rest = message.substr(begin + word.size());
  rest = rest.substr(0, rest.find(", "));
  for (const std::string_view pair : Split(rest, ',')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    amounts.emplace_back(std::string(Trim(pair.substr(0, equals))),
                         Value(std::string(Trim(pair.substr(equals + 1)))));
  }
  return amounts;
}

std::string_view QuotaName(std::string_view message) {
  constexpr std::string_view kWord = "exceeded quota: ";
  const std::size_t begin = message.find(kWord);
  if (begin == std::string_view::npos) return {};
  const std::string_view rest = message.substr(begin + kWord.size());
  return rest.substr(0, rest.find(','));
}

void DescribeQuota(Explanation& explanation, std::string_view message) {
  const std::string_view name = QuotaName(message);
  if (name.empty()) return;
  const Value::Map requested = AmountsAfter(message, "requested: ");
  const Value::Map used = AmountsAfter(message, "used: ");
  const Value::Map limited = AmountsAfter(message, "limited: ");
  std::vector<std::string> texts;
  for (const auto& [resource, amount] : requested) {
    const double wants = QuantityIn(requested, resource);
    const double may = QuantityIn(limited, resource);
    texts.push_back(fmt::format("{} {} requested, {} of {} used", FormatAmount(resource, wants),
                                resource, FormatAmount(resource, QuantityIn(used, resource)),
                                FormatAmount(resource, may)));
    if (wants > may) explanation.final = true;
  }
  explanation.headline =
      fmt::format("quota {} {}: {}", name,
                  explanation.final ? "is too small for the pod" : "has no room for the pod",
                  Join(texts, "; "));
  if (explanation.final) {
    explanation.advice = "request less in 'resources:', or increase the quota";
  }
}

/// Whether a quota limits a pod's resource: "requests.cpu" and "cpu" limit cpu.
bool Counts(std::string_view quota_resource, std::string_view resource) {
  return quota_resource == resource || quota_resource == fmt::format("requests.{}", resource) ||
         (resource == "pods" && quota_resource == "count/pods");
}

Explanation FullQuota(const Value& quota, std::string_view resource, const Request& request) {
  const double may = QuantityIn(MapAt(quota, {"status", "hard"}), resource);
  const double used = QuantityIn(MapAt(quota, {"status", "used"}), resource);
  Explanation explanation = MakeExplanation(Cause::kQuota, JobState::kPending);
  explanation.final = request.amount > may;
  explanation.headline = fmt::format(
      "quota {} {}: {} requested, {} of {} used", NameOf(quota),
      explanation.final ? "is too small for the pod" : "has no room for the pod",
      FormatRequest(request), FormatAmount(resource, used), FormatAmount(resource, may));
  explanation.evidence.push_back(
      {.source = fmt::format("status of resourcequota {}", NameOf(quota)),
       .text = fmt::format("{}: hard {}, used {}", resource, FormatAmount(resource, may),
                           FormatAmount(resource, used)),
       .first = {},
       .last = {}});
  return explanation;
}

/// Finds a full quota by its status, because events expire after an hour.
MaybeExplanation ExplainQuota(const SnapshotIndex& index) {
  const Value* pod = At(*index.view.job, {"spec", "template"});
  if (pod == nullptr) return std::nullopt;
  const std::vector<Request> requests = RequestsOf(*pod);
  for (const Value* quota : index.view.quotas) {
    const Value::Map& used = MapAt(*quota, {"status", "used"});
    const Value::Map& hard = MapAt(*quota, {"status", "hard"});
    for (const auto& [resource, _] : hard) {
      const auto full = std::ranges::find_if(requests, [&](const Request& request) {
        return Counts(resource, request.resource) &&
               QuantityIn(used, resource) + request.amount > QuantityIn(hard, resource);
      });
      if (full != requests.end()) return FullQuota(*quota, resource, *full);
    }
  }
  return std::nullopt;
}

MaybeExplanation NoPodYet(const SnapshotIndex& index, bool had_one) {
  if (auto quota = ExplainQuota(index)) return quota;
  Explanation explanation = MakeExplanation(Cause::kNoStatus, JobState::kPending);
  explanation.headline = had_one ? "the pod is gone; the cluster has not created another one yet"
                                 : "the cluster has not created the pod yet";
  explanation.since = TimeAt(*index.view.job, {"metadata", "creationTimestamp"});
  return explanation;
}

}  // namespace

MaybeExplanation ExplainCreation(const SnapshotIndex& index) {
  if (index.pod != nullptr || index.view.job == nullptr) return std::nullopt;
  const EventView* event = index.JobEvent({"FailedCreate", "SuccessfulCreate"});
  if (event == nullptr || event->reason == "SuccessfulCreate") {
    return NoPodYet(index, event != nullptr);
  }
  const Cause cause =
      MatchCause(SignalSource::kCreation, "", event->message).value_or(Cause::kPodRefused);
  Explanation explanation = MakeExplanation(cause, JobState::kPending);
  explanation.evidence.push_back(EvidenceOf(*event));
  explanation.since = event->first;
  if (cause == Cause::kQuota) DescribeQuota(explanation, event->message);
  if (explanation.headline == TextOf(cause).headline) {
    explanation.headline += ": " + LastClause(event->message);
  }
  return explanation;
}

}  // namespace kinetic::backend
