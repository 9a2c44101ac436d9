#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "provision/plan.h"
#include "provision/resources/user.h"
#include "provision/shutdown/objects.h"
#include "provision/user.h"

#include <string>
#include <utility>

namespace kinetic::inline v0 {
namespace {

/// Earlier versions allowed a user whose namespace is that of the automatic deletion.
provision::NamespaceRemoval RemovalOf(const provision::Scope& scope, const std::string& email) {
  return provision::UserNamespace(scope, email) == provision::kShutdownNamespace
             ? provision::NamespaceRemoval::kPermissionsOnly
             : provision::NamespaceRemoval::kNow;
}

}  // namespace

Result<ClusterPlan> PlanUserRemoval(const ClusterSpec& spec, const std::string& user, bool purge,
                                    const ClusterAdminOptions& options, std::stop_token stop) {
  const std::string email = ToLower(user);  // as IAM stores it
  // A user of an earlier version may have a name that is now refused.
  KINETIC_RETURN_IF_ERROR(provision::CheckEmail(email));
  KINETIC_ASSIGN_OR_RETURN(auto state, provision::OpenState(spec, options, stop));
  state->removes = true;
  state->spec.users = {email};
  const provision::Scope& scope = state->scope;
  state->resources.push_back(
      provision::MakeUser(scope, state->options, email, RemovalOf(scope, email)));
  if (purge) state->resources.push_back(provision::MakeUserObjects(scope, state->options, email));
  KINETIC_RETURN_IF_ERROR(provision::KeepOurs(*state, purge, stop));
  if (state->resources.empty()) return ClusterPlan(std::move(state));
  KINETIC_RETURN_IF_ERROR(provision::FindRunningJobs(*state, email, stop));
  return ClusterPlan(std::move(state));
}

}  // namespace kinetic::inline v0
