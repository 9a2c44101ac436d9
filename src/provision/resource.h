#pragma once

#include "kinetic/plan_step.h"
#include "kinetic/result.h"

#include "google/api/client.h"

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::provision {

/// The label of everything that kinetic creates; its value is the cluster's name.
inline constexpr std::string_view kOwnerLabel = "kinetic-cluster";

/// How a resource that exists differs from the desired one.
struct Observation {
  PlanAction action = PlanAction::kKeep;
  std::string detail;                 ///< what the resource is, or what differs
  std::vector<std::string> warnings;  ///< differences that are not changed
};

/// One thing that a cluster consists of. Reading changes nothing; Converge and Remove may be
/// repeated, also after the process was killed in one of them.
///
/// @errors   of every function: those of ApiClient.
/// @threads  different resources may be used concurrently.
class Resource {
 public:
  virtual ~Resource() = default;

  virtual std::string Kind() const = 0;  ///< "bucket"
  virtual std::string Name() const = 0;
  /// Returns the keys of resources that must exist before this one: "cluster".
  virtual std::vector<std::string> Needs() const { return {}; }
  /// Returns the key by which other resources refer to this one.
  virtual std::string Key() const { return Kind(); }
  virtual std::chrono::minutes ExpectedTime() const { return std::chrono::minutes{0}; }

  /// Compares what exists with what is desired.
  ///
  /// @errors  kFailedPrecondition: exists, but kinetic did not create it.
  virtual Result<Observation> Read(std::stop_token stop) = 0;
  /// Returns the requests that Converge sends, as far as they are known before.
  virtual std::vector<google::ApiRequest> Requests() const = 0;
  /// Returns whether the changes that Read found are optional, because they only update a resource
  /// of an earlier version. Callers without permission for them can still use the cluster.
  virtual bool IsOptional() const { return false; }
  /// Creates or changes the resource, and waits until it can be used.
  virtual Status Converge(std::stop_token stop) = 0;

  /// Returns the requests that Remove sends. Empty: removed together with another resource.
  virtual std::vector<google::ApiRequest> RemovalRequests() const { return {}; }
  /// Returns whether it exists and kinetic created it.
  virtual Result<bool> IsOurs(std::stop_token stop) = 0;
  virtual Status Remove(std::stop_token stop) = 0;
  /// Returns warnings about what Remove keeps. Call IsOurs before.
  virtual std::vector<std::string> RemovalWarnings() const { return {}; }
};

}  // namespace kinetic::provision
