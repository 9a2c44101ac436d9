#include "target/kubernetes_remains.h"

#include "base/try.h"
#include "kube/object.h"
#include "record/layout.h"
#include "record/outcome.h"
#include "target/kubernetes_cancel.h"
#include "target/kubernetes_explain.h"
#include "target/kubernetes_look.h"
#include "target/kubernetes_names.h"
#include "target/kubernetes_outcome.h"

#include <utility>

namespace kinetic::target {
namespace {

/// Whether pods of a Job are still ending, as the controller counts them.
bool HasPods(const Value& job) {
  for (const std::string_view key : {"active", "terminating"}) {
    const Value* count = kube::At(job, {"status", key});
    if (count != nullptr && count->AsInt() != nullptr && *count->AsInt() > 0) return true;
  }
  return false;
}

/// What the collector stored of the last attempt that it stored anything of.
Result<std::optional<record::StoredOutcome>> LastAttempt(store::Store& store, std::string_view id,
                                                         const std::stop_token& stop) {
  std::optional<std::string> last;
  const std::string prefix = record::JobFolder(id) + "attempts/";
  const auto note = [&](const store::ObjectInfo& object) -> Result<bool> {
    if (object.name.ends_with("/result.json")) last = object.name;
    return true;
  };
  KINETIC_RETURN_IF_ERROR(store.List(prefix, {}, note, stop));
  if (!last) return std::optional<record::StoredOutcome>();
  KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetBytes(store, *last, stop));
  if (!json) return std::optional<record::StoredOutcome>();
  KINETIC_ASSIGN_OR_RETURN(auto outcome, record::OutcomeFromJson(*json));
  return std::optional(std::move(outcome));
}

}  // namespace

Result<std::vector<Target::LostJob>> FindAbandoned(const kube::Client& client,
                                                   std::string_view name_space,
                                                   std::string_view store, Clock& clock,
                                                   std::stop_token stop) {
  std::vector<Target::LostJob> abandoned;
  const auto look = [&](const Value& job) -> Status {
    if (kube::TextAt(job, {"metadata", "annotations", kStoreAnnotation}) != store) return {};
    Observed observed;
    observed.job_id = JobIdOf(job);
    observed.job = job;
    observed.job_was_there = true;
    const Observation seen = ObservationOf(observed, clock.Now());
    if (seen.alive || HasPods(job)) return {};
    const Explanation explanation = Explain(observed.SituationAt(clock.Now()));
    abandoned.push_back({.id = observed.job_id,
                         .evidence = EvidenceOf(explanation),
                         .status = seen.status,
                         .has_outcome = true});
    return {};
  };
  KINETIC_RETURN_IF_ERROR(client.List(kube::kJobs, name_space,
                                      {.label_selector = ManagedSelector(), .field_selector = {}},
                                      look, std::move(stop)));
  return abandoned;
}

Result<Target::Remains> RemainsOf(const Observed& observed, std::string_view id,
                                  store::Store& store, WallTime now, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto attempt, LastAttempt(store, id, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto cause, ReadStopCause(store, id, std::move(stop)));
  Explanation explanation = Explain(observed.SituationAt(now));
  if (cause && cause->cause != Cause::kCancelled) {
    explanation.cause = Cause::kTooLate;
    explanation.headline = cause->reason;
  }
  Target::Remains remains;
  remains.outcome = OutcomeOf(observed, explanation, std::move(attempt), cause.has_value());
  return remains;
}

}  // namespace kinetic::target
