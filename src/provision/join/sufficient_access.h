#pragma once

#include "kinetic/value.h"

#include "google/api/client.h"
#include "provision/policy.h"
#include "provision/resource.h"
#include "provision/resources/access.h"

#include <memory>
#include <string>
#include <vector>

namespace kinetic::provision {

/// Other ways to have access: one of the roles, for one of the members, in one of the policies.
struct SufficientRoles {
  std::vector<std::string> roles;
  std::vector<std::string> members;
  std::vector<PolicyTarget> policies;  ///< those that the caller cannot read are skipped
};

/// Returns whether a policy grants one of the roles to one of the members. Conditions are not
/// evaluated.
bool GrantsAny(const Value& policy, const SufficientRoles& sufficient);

/// Grants that are created unless other roles give the access already.
///
/// @errors  of Read: kPermissionDenied: the policy of the grants cannot be read.
std::unique_ptr<Resource> MakeSufficientAccess(const google::ApiClient& api, AccessSpec spec,
                                               SufficientRoles sufficient);

}  // namespace kinetic::provision
