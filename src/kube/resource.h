#pragma once

#include "http/url.h"

#include <string>
#include <string_view>

namespace kinetic::kube {

/// A kind of object as the API names it in addresses: "batch", "v1", "jobs".
struct Resource {
  std::string_view group;  ///< empty: the core group
  std::string_view version;
  std::string_view plural;
  bool namespaced = true;
};

inline constexpr Resource kJobs{"batch", "v1", "jobs"};
inline constexpr Resource kPods{"", "v1", "pods"};
inline constexpr Resource kSecrets{"", "v1", "secrets"};
inline constexpr Resource kConfigMaps{"", "v1", "configmaps"};
inline constexpr Resource kEvents{"", "v1", "events"};
inline constexpr Resource kServices{"", "v1", "services"};
inline constexpr Resource kServiceAccounts{"", "v1", "serviceaccounts"};
inline constexpr Resource kResourceQuotas{"", "v1", "resourcequotas"};
inline constexpr Resource kNodes{"", "v1", "nodes", false};
inline constexpr Resource kNamespaces{"", "v1", "namespaces", false};
inline constexpr Resource kWorkloads{"kueue.x-k8s.io", "v1beta1", "workloads"};
inline constexpr Resource kAccessReviews{"authorization.k8s.io", "v1", "selfsubjectaccessreviews",
                                         false};
inline constexpr Resource kSelfReviews{"authentication.k8s.io", "v1", "selfsubjectreviews", false};

/// The address of all objects of a kind. @param name_space  empty: in every namespace.
http::Url CollectionUrl(std::string_view server, const Resource& resource,
                        std::string_view name_space);

/// The address of one object.
http::Url ObjectUrl(std::string_view server, const Resource& resource, std::string_view name_space,
                    std::string_view name);

/// "jobs.batch", "pods": as kubectl and rules of access name a kind.
std::string QualifiedName(const Resource& resource);

/// One of a kind, in words: "job", "access review".
std::string Singular(const Resource& resource);

/// May the account do this?
struct AccessQuestion {
  std::string name_space;        ///< empty: in every namespace, or of a kind that has none
  std::string verb;              ///< "create"
  std::string group;             ///< "batch"; empty: the core group
  std::string resource;          ///< "jobs"
  std::string subresource = {};  ///< "log"; empty: none
};

/// The API server's answer.
struct Access {
  bool allowed = false;
  std::string reason;  ///< may be empty
};

/// The rule that would allow it, as a line for a shell: a role and its binding.
///
/// @param account  as WhoAmI has it; empty: a place is left for it.
std::string GrantCommand(const AccessQuestion& question, const std::string& account);

/// What an API server says it is.
struct Version {
  int major = 0;
  int minor = 0;
  std::string git_version;  ///< "v1.33.2-gke.1000"
};

}  // namespace kinetic::kube
