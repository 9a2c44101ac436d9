#pragma once

#include "kinetic/export.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

/// kReplace: deletes a cluster or node pool and creates it again, because it failed or GKE cannot
/// change it.
enum class PlanAction : std::uint8_t { kKeep, kCreate, kChange, kReplace, kDelete };

/// Returns the action as a word: "create".
KINETIC_EXPORT std::string_view Name(PlanAction action);

/// A request of a plan, for --dry-run.
struct PlannedRequest {
  std::string method;
  std::string url;
  Value body;  ///< null: none
};

/// One resource of a plan.
struct PlanStep {
  PlanAction action = PlanAction::kKeep;
  std::string kind;                   ///< "node pool"
  std::string name;                   ///< "v5litepod-1"
  std::string detail;                 ///< what it is, or what changes
  std::vector<std::string> warnings;  ///< differences that are not changed
  std::chrono::minutes expected{0};
  std::vector<PlannedRequest> requests;   ///< empty: kKeep
  std::vector<std::string> running_jobs;  ///< IDs of jobs that kReplace would end
};

}  // namespace kinetic::inline v0
