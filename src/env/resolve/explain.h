#pragma once

#include "kinetic/environment.h"

#include "env/dependencies/manifest.h"
#include "env/environment_builder.h"
#include "env/resolve/lock_store.h"

#include <map>
#include <optional>
#include <string>

namespace kinetic::env {

/// The inputs of an earlier job: its record's `environment_inputs`.
struct EarlierInputs {
  std::string job;  ///< its id
  std::map<std::string, std::string> inputs;
};

/// The inputs that differ, in the order of Manifest::Inputs(). A dependency set is compared line by
/// line: one change for each requirement, with an empty side for what was added or removed.
std::vector<EnvironmentExplanation::Change> CompareInputs(
    const std::map<std::string, std::string>& before, const Manifest& now);

/// Why an environment is what it is.
EnvironmentExplanation Explain(const Manifest& manifest, const std::optional<ObtainedLock>& lock,
                               const std::optional<ReadyEnvironment>& ready,
                               const std::optional<EarlierInputs>& earlier);

}  // namespace kinetic::env
