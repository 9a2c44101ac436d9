#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <string>
#include <vector>

namespace kinetic::backend {

/// What is wrong with one place under `pod` in a job file.
struct PodFieldProblem {
  std::string key;  ///< as JobSpec::positions has it: "pod.spec.containers[0].command"
  std::string reason;
};

/// A pod template with a job file's pod fields merged into it, and what of them cannot be merged or
/// changes what is kinetic's: the collector but for its resources, how the launcher is started, the
/// volumes and variables that both need, labels, and how the pod ends.
struct PodFields {
  Value merged;
  std::vector<PodFieldProblem> problems;
};

/// @param pod  null: none.
PodFields MergePodFields(const Value& plain, const Value& pod);

/// @errors  kInvalidArgument: the problems, one on each line.
Result<Value> WithPodFields(const Value& plain, const Value& pod);

}  // namespace kinetic::backend
