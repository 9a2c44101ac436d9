#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "google/api/client.h"
#include "http/retry.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::provision {

/// A role for one member.
///
/// @source  https://cloud.google.com/iam/docs/conditions-overview
struct Grant {
  std::string role;         ///< "roles/storage.objectUser"
  std::string member;       ///< "serviceAccount:EMAIL"
  std::string only_if;      ///< the condition, in CEL; empty: none
  std::string description;  ///< the title of the condition
};

/// The IAM policy of a resource.
struct PolicyTarget {
  google::ApiRequest read;
  google::ApiRequest write;  ///< its body is set when the policy is written
  bool wrapped = true;       ///< the body is {"policy": POLICY}; false: the policy itself
};

PolicyTarget ProjectPolicy(const std::string& project);
PolicyTarget BucketPolicy(const std::string& bucket);
/// @param folder  of the bucket, ending in '/'.
/// @source  https://cloud.google.com/storage/docs/access-control/using-iam-for-managed-folders
PolicyTarget FolderPolicy(const std::string& bucket, const std::string& folder);
/// @param path  "projects/p/locations/r/repositories/n".
PolicyTarget RepositoryPolicy(const std::string& path);

/// Returns how many of the grants the policy contains, with the same conditions.
std::size_t CountGrants(const Value& policy, const std::vector<Grant>& grants);

/// Returns the policy with the grants added or removed. Keeps all other bindings and the etag.
Value AddGrants(Value policy, const std::vector<Grant>& grants);
Value RemoveGrants(Value policy, const std::vector<Grant>& grants);

/// How often a change is repeated that conflicts with others.
inline constexpr http::RetryPolicy kConflicts{.max_attempts = 10,
                                              .base = std::chrono::milliseconds{500}};

/// Returns whether a write failed because the resource changed after it was read.
bool IsConflict(const Error& error);

enum class PolicyChange : std::uint8_t { kAdd, kRemove };

/// Reads, changes, and writes a policy. Retries from the start if the policy was changed
/// concurrently.
///
/// @source  https://cloud.google.com/iam/docs/policies#etag
Status ChangePolicy(const google::ApiClient& api, const PolicyTarget& target, PolicyChange change,
                    const std::vector<Grant>& grants, std::stop_token stop);

/// Adds all grants and removes the revoked ones with one write. Keeps the policy if it has all grants.
Status ReplaceGrants(const google::ApiClient& api, const PolicyTarget& target,
                     const std::vector<Grant>& grants, const std::vector<Grant>& revoked,
                     std::stop_token stop);

/// Returns the body that writes a policy.
Value PolicyBody(const PolicyTarget& target, Value policy);

}  // namespace kinetic::provision
