#include "provision/scope.h"

#include <algorithm>

namespace kinetic::provision {

std::string Scope::Bucket() const {
  std::string bucket = project + "-" + name;
  // Projects of a domain are named "example.com:project".
  std::ranges::replace_if(bucket, [](char c) { return c == ':' || c == '.'; }, '-');
  return bucket;
}

std::string Scope::NodeAccountId() const { return name + "-nodes"; }

std::string Scope::NodeAccount() const {
  const std::size_t colon = project.find(':');
  const std::string host = colon == std::string::npos
                               ? project
                               : project.substr(colon + 1) + "." + project.substr(0, colon);
  return NodeAccountId() + "@" + host + ".iam.gserviceaccount.com";
}

std::string Scope::ClusterPath() const { return ZonePath() + "/clusters/" + name; }

std::string Scope::RepositoryPath() const { return RegionPath() + "/repositories/" + name; }

std::string Scope::Principal(std::string_view name_space, std::string_view account) const {
  return "principal://iam.googleapis.com/projects/" + project_number +
         "/locations/global/workloadIdentityPools/" + project + ".svc.id.goog/subject/ns/" +
         std::string(name_space) + "/sa/" + std::string(account);
}

std::string Scope::PodPrincipal() const { return Principal(kNamespace, kServiceAccount); }

}  // namespace kinetic::provision
