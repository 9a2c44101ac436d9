#pragma once

#include "kinetic/environment.h"

#include "env/dependencies/manifest.h"
#include "env/environment_builder.h"
#include "env/resolve/resolver.h"

#include <map>
#include <optional>
#include <string>

namespace kinetic::env {

/// The `environment_inputs` of an earlier job's record.
struct PreviousInputs {
  std::string job;  ///< its id
  std::map<std::string, std::string> inputs;
};

/// Returns the inputs that differ, in the order of Manifest::Inputs(). Dependency sets are compared
/// by line: one change for each requirement, with an empty side if it was added or removed.
std::vector<EnvironmentExplanation::Change> CompareInputs(
    const std::map<std::string, std::string>& before, const Manifest& now);

/// Explains the contents of an environment.
EnvironmentExplanation Explain(const Manifest& manifest, const std::optional<ObtainedLock>& lock,
                               const std::optional<ReadyEnvironment>& ready,
                               const std::optional<PreviousInputs>& earlier);

}  // namespace kinetic::env
