#pragma once

#include "google/api/client.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::provision {

/// The Kubernetes namespace of job pods, unless another one is chosen.
inline constexpr std::string_view kNamespace = "kinetic";
/// The service account of job pods in the namespace of a user.
inline constexpr std::string_view kUserServiceAccount = "jobs";

/// The address of the cluster's API server.
enum class Endpoint : std::uint8_t { kDns, kPublic, kPrivate };

/// Returns the region of a zone, or the region itself.
std::string RegionOf(const std::string& location);

/// Returns whether a zone is for AI, such as "us-south1-ai1b". These have only accelerator nodes.
///
/// @source  https://cloud.google.com/compute/docs/regions-zones/ai-zones
bool IsAiZone(const std::string& zone);

/// What the resources of one cluster share: where they are, and how they are named.
struct Scope {
  const google::ApiClient* api = nullptr;
  std::string project;
  std::string project_number;  ///< "123456789012"
  std::string zone;            ///< "us-west4-a"; of an existing cluster also a region
  std::string name;            ///< of the cluster
  std::string store;           ///< "gs://bucket/folder"; empty: in the bucket of the cluster
  std::string name_space{kNamespace};
  std::string service_account;  ///< of job pods; empty: named after the cluster
  Endpoint endpoint = Endpoint::kDns;
  std::string version;  ///< of Kubernetes: "1.36.3-gke.100"; empty: the cluster does not exist

  std::string Region() const;
  std::string Store() const;          ///< "gs://bucket/folder"
  std::string Bucket() const;         ///< of the store
  std::string NodeAccount() const;    ///< email address of the nodes' service account
  std::string NodeAccountId() const;  ///< "kinetic-nodes"
  std::string JobsAccount() const;    ///< Kubernetes service account of job pods: "kinetic-jobs"

  std::string ProjectPath() const { return "projects/" + project; }
  std::string RegionPath() const { return ProjectPath() + "/locations/" + Region(); }
  std::string ZonePath() const { return ProjectPath() + "/locations/" + zone; }
  std::string ClusterPath() const;     ///< "projects/p/locations/z/clusters/n"
  std::string RepositoryPath() const;  ///< "projects/p/locations/r/repositories/n"
  std::string WorkloadPool() const { return project + ".svc.id.goog"; }
  std::string PlaceOptions() const;  ///< for gcloud: " --location=us-west4-a --project=p"

  /// Returns the IAM member of a Kubernetes service account. It is the same in all clusters of a
  /// project, so names of accounts or of their namespaces contain the cluster's name.
  ///
  /// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity
  std::string Principal(std::string_view in_namespace, std::string_view account) const;
  /// Returns that of job pods.
  std::string PodPrincipal() const;
  /// Returns that of a user's pods.
  std::string PodPrincipal(std::string_view in_namespace) const;
};

}  // namespace kinetic::provision
