#pragma once

#include "kinetic/cluster_spec.h"

#include "provision/resource.h"
#include "provision/scope.h"

#include <memory>
#include <string>

namespace kinetic::provision {

/// What happens to the namespace of a user who is removed.
enum class NamespaceRemoval : std::uint8_t { kWithCluster, kNow, kPermissionsOnly };

/// A user: a folder of the bucket that only the user and the user's job pods can access, access to
/// the cluster, and a namespace. Its name is the email address.
///
/// @param scope, options  outlive the resource.
std::unique_ptr<Resource> MakeUser(const Scope& scope, const ClusterAdminOptions& options,
                                   const std::string& email, NamespaceRemoval removal);

/// The namespace of a user, with the account of job pods and the user's permissions.
std::unique_ptr<Resource> MakeUserNamespace(const Scope& scope, const ClusterAdminOptions& options,
                                            const std::string& email, NamespaceRemoval removal);

/// The roles of a user in the project, to find and reach the cluster. IsOurs returns false, and
/// Remove keeps them, while another cluster of the project has the same user.
std::unique_ptr<Resource> MakeUserRoles(const Scope& scope, const std::string& email);

/// Lifecycle rules for a user's store, which the user may not add. They stay when the user is
/// removed.
std::unique_ptr<Resource> MakeLifecycleRules(const Scope& scope, const std::string& prefix);

/// The jobs and outputs of a user, only for removal.
std::unique_ptr<Resource> MakeUserObjects(const Scope& scope, const ClusterAdminOptions& options,
                                          const std::string& email);

}  // namespace kinetic::provision
