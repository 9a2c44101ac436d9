#pragma once

#include "kinetic/client.h"
#include "kinetic/export.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

enum class Health : std::uint8_t { kGood, kWarning, kFailed };

KINETIC_EXPORT std::string_view Name(Health health);

/// The result of checking one thing that jobs need.
struct HealthCheck {
  std::string name;  ///< "runner", "disk of the store"
  Health health = Health::kGood;
  std::string evidence;      ///< one line: what was found, or what is missing
  std::string advice;        ///< the consequence, or what to do; empty if there is none
  std::string version = {};  ///< of a program
  std::string path = {};     ///< of a program
};

/// Checks the programs that jobs need: runner, launcher, python, uv. Runs each with --version.
KINETIC_EXPORT std::vector<HealthCheck> CheckPrograms(const ClientOptions& options,
                                                      std::stop_token stop = {});

/// Checks what else jobs need: git, disk space, the store, the clock, and the cluster of the
/// profile. Writes and removes an object in an existing store. A server that does not respond is
/// retried for a few seconds.
KINETIC_EXPORT std::vector<HealthCheck> CheckSurroundings(ClientOptions options,
                                                          std::stop_token stop = {});

/// Starts a pod in the cluster of the profile, which pulls the runner image and uses the store, and
/// removes it. May make the cluster create a node.
///
/// @param deadline  for the pod, including the wait for a node.
KINETIC_EXPORT HealthCheck CheckPod(ClientOptions options, std::chrono::seconds deadline,
                                    std::stop_token stop = {});

}  // namespace kinetic::inline v0
