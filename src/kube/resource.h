#pragma once

#include "http/url.h"

#include <string>
#include <string_view>

namespace kinetic::kube {

/// A kind of object, as in URLs of the API: "batch", "v1", "jobs".
struct Resource {
  std::string_view group;  ///< empty: the core group
  std::string_view version;
  std::string_view plural;
  bool namespaced = true;
};

inline constexpr Resource kJobs{"batch", "v1", "jobs"};
inline constexpr Resource kCronJobs{"batch", "v1", "cronjobs"};
inline constexpr Resource kPods{"", "v1", "pods"};
inline constexpr Resource kSecrets{"", "v1", "secrets"};
inline constexpr Resource kEvents{"", "v1", "events"};
inline constexpr Resource kServiceAccounts{"", "v1", "serviceaccounts"};
inline constexpr Resource kResourceQuotas{"", "v1", "resourcequotas"};
inline constexpr Resource kRoles{"rbac.authorization.k8s.io", "v1", "roles"};
inline constexpr Resource kRoleBindings{"rbac.authorization.k8s.io", "v1", "rolebindings"};
inline constexpr Resource kNodes{"", "v1", "nodes", false};
inline constexpr Resource kNamespaces{"", "v1", "namespaces", false};
inline constexpr Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "clusterroles", false};
inline constexpr Resource kClusterRoleBindings{"rbac.authorization.k8s.io", "v1",
                                               "clusterrolebindings", false};
inline constexpr Resource kAccessReviews{"authorization.k8s.io", "v1", "selfsubjectaccessreviews",
                                         false};
inline constexpr Resource kSelfReviews{"authentication.k8s.io", "v1", "selfsubjectreviews", false};

/// Returns the URL of all objects of a kind. @param name_space  empty: all namespaces.
http::Url CollectionUrl(std::string_view server, const Resource& resource,
                        std::string_view name_space);

/// Returns the URL of one object.
http::Url ObjectUrl(std::string_view server, const Resource& resource, std::string_view name_space,
                    std::string_view name);

/// Returns the name of a kind in kubectl and RBAC rules: "jobs.batch", "pods".
std::string QualifiedName(const Resource& resource);

/// Returns the name of one object of a kind, for messages: "job", "access review".
std::string Singular(const Resource& resource);

/// A permission of an account, as in an RBAC rule.
struct Permission {
  std::string name_space;        ///< empty: all namespaces, or a cluster-scoped kind
  std::string verb;              ///< "create"
  std::string group;             ///< "batch"; empty: the core group
  std::string resource;          ///< "jobs"
  std::string subresource = {};  ///< "log"; empty: none
};

/// Whether an account has a permission.
struct PermissionReview {
  bool allowed = false;
  std::string reason;  ///< may be empty
};

/// Returns the shell command that grants a permission: it creates a role and a role binding.
///
/// @param account  from Client::GetUserName; empty: the command contains ACCOUNT.
std::string GrantCommand(const Permission& permission, const std::string& account);

/// The version of an API server.
struct Version {
  int major = 0;
  int minor = 0;
  std::string git_version;  ///< "v1.33.2-gke.1000"
};

}  // namespace kinetic::kube
