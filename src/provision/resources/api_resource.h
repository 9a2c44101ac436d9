#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "google/api/client.h"
#include "provision/resource.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::provision {

enum class Readiness : std::uint8_t { kReady, kBusy, kFailed, kDeleting };

/// How an existing resource compares with the desired one.
struct Comparison {
  bool ours = true;  ///< kinetic created it for this cluster
  Readiness readiness = Readiness::kReady;
  std::string problem;   ///< for kFailed: the reason from the API; not ours: why not
  std::string mismatch;  ///< what differs and cannot be changed: "has Spot nodes"
  std::vector<google::ApiRequest> changes;  ///< that make it as desired; empty: it is
  std::string detail;                       ///< what differs
  bool is_optional = false;                 ///< the changes only improve it
  std::vector<std::string> warnings;        ///< differences that are not changed
};

/// A resource with one URL, which is created, changed and deleted by requests to one API.
struct ApiResourceSpec {
  std::string kind;
  std::string name;
  std::string detail;  ///< what it is: "e2-standard-2, 1 node"
  std::string key;     ///< empty: the kind
  std::vector<std::string> needs;
  std::chrono::minutes expected{0};
  std::string service;
  std::string path;           ///< of the resource: "/v1/projects/p/…"
  std::string removal_query;  ///< of the request that deletes it: "?force=true"
  google::ApiRequest create;  ///< without a path: it cannot be created, only changed and deleted
  /// Returns the request that creates it, with values that are known only then. Empty: `create`.
  std::function<google::ApiRequest(std::stop_token stop)> create_now;
  /// Returns the path of a long-running operation. Empty: the API answers when it has finished.
  std::function<std::string(const std::string& operation)> operation_path;
  std::function<Comparison(const Value& existing)> compare;
  /// Returns the error of a failed creation with more advice. May be empty.
  std::function<Error(Error error, std::stop_token stop)> explain;
  /// Called before the resource is deleted, for example to empty it. May be empty.
  std::function<Status(std::stop_token stop)> before_removal;
};

std::unique_ptr<Resource> MakeApiResource(const google::ApiClient& api, ApiResourceSpec spec);

}  // namespace kinetic::provision
