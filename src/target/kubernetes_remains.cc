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

Result<Target::Remains> RemainsOf(const Observed& observed, std::string_view id,
                                  store::Store& store, WallTime now, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto attempt, LastAttempt(store, id, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto cause, pod::ReadStopCause(store, id, std::move(stop)));
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
