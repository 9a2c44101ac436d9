#pragma once

#include "google/api/client.h"

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::provision {

/// What the resources of one cluster share: where they are, and how they are named.
struct Scope {
  const google::ApiClient* api = nullptr;
  std::string project;
  std::string project_number;  ///< "123456789012"
  std::string zone;            ///< "us-west4-a"
  std::string name;            ///< of the cluster

  std::string Region() const { return zone.substr(0, zone.rfind('-')); }
  /// Bucket names are unique across all projects, so they start with the project.
  std::string Bucket() const;
  std::string NodeAccount() const;    ///< email address of the nodes' service account
  std::string NodeAccountId() const;  ///< "kinetic-nodes"

  std::string ProjectPath() const { return "projects/" + project; }
  std::string RegionPath() const { return ProjectPath() + "/locations/" + Region(); }
  std::string ZonePath() const { return ProjectPath() + "/locations/" + zone; }
  std::string ClusterPath() const;     ///< "projects/p/locations/z/clusters/n"
  std::string RepositoryPath() const;  ///< "projects/p/locations/r/repositories/n"

  /// Returns the IAM member of a Kubernetes service account.
  ///
  /// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity
  std::string Principal(std::string_view name_space, std::string_view account) const;
  /// Returns that of job pods.
  std::string PodPrincipal() const;
};

/// The Kubernetes namespace and service account of job pods.
inline constexpr std::string_view kNamespace = "kinetic";
inline constexpr std::string_view kServiceAccount = "jobs";

}  // namespace kinetic::provision
