#pragma once

#include <string>

namespace kinetic::kube {

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
