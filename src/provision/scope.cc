#include "provision/scope.h"

#include <algorithm>

namespace kinetic::provision {

namespace {

constexpr std::string_view kStorePrefix = "gs://";

}  // namespace

std::string RegionOf(const std::string& location) {
  const std::size_t dash = location.rfind('-');
  // Regions have one dash, zones have two.
  return dash == location.find('-') ? location : location.substr(0, dash);
}

bool IsAiZone(const std::string& zone) {
  return zone.substr(RegionOf(zone).size()).starts_with("-ai");
}

std::string Scope::Region() const { return RegionOf(zone); }

std::string Scope::Store() const {
  if (!store.empty()) return store;
  // Bucket names are unique across all projects, so they start with the project.
  std::string bucket = project + "-" + name;
  // Projects of a domain are named "example.com:project".
  std::ranges::replace_if(bucket, [](char c) { return c == ':' || c == '.'; }, '-');
  return std::string(kStorePrefix) + bucket + "/jobs";
}

std::string Scope::Bucket() const {
  const std::string location = Store().substr(kStorePrefix.size());
  return location.substr(0, location.find('/'));
}

std::string Scope::NodeAccountId() const { return name + "-nodes"; }

std::string Scope::JobsAccount() const {
  return service_account.empty() ? name + "-jobs" : service_account;
}

std::string Scope::NodeAccount() const {
  const std::size_t colon = project.find(':');
  const std::string host = colon == std::string::npos
                               ? project
                               : project.substr(colon + 1) + "." + project.substr(0, colon);
  return NodeAccountId() + "@" + host + ".iam.gserviceaccount.com";
}

std::string Scope::ClusterPath() const { return ZonePath() + "/clusters/" + name; }

std::string Scope::RepositoryPath() const { return RegionPath() + "/repositories/" + name; }

std::string Scope::PlaceOptions() const { return " --location=" + zone + " --project=" + project; }

std::string Scope::Principal(std::string_view in_namespace, std::string_view account) const {
  return "principal://iam.googleapis.com/projects/" + project_number +
         "/locations/global/workloadIdentityPools/" + WorkloadPool() + "/subject/ns/" +
         std::string(in_namespace) + "/sa/" + std::string(account);
}

std::string Scope::PodPrincipal() const { return Principal(name_space, JobsAccount()); }
std::string Scope::PodPrincipal(std::string_view in_namespace) const {
  return Principal(in_namespace, kUserServiceAccount);
}

}  // namespace kinetic::provision
