#pragma once

#include "kinetic/export.h"
#include "kinetic/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

/// kKubernetes: a cluster from a kubeconfig, or the enclosing one. kGke: a GKE cluster by name.
enum class TargetKind : std::uint8_t { kLocal, kKubernetes, kGke };

/// How a cluster's jobs get their packages. kArchives: pods unpack them. kLayers: kinetic appends
/// them as layers to the base image. kAuto: the image if it exists, otherwise archives; kinetic
/// builds the image when the same packages are used again.
enum class EnvironmentForm : std::uint8_t { kAuto, kArchives, kLayers };

/// What builds the image of a job's Dockerfile. kBuildah, kPodman, kDocker: that program on this
/// machine. kCloudBuild: Google Cloud Build. kAuto: the first of these programs found on PATH.
enum class ContainerEngine : std::uint8_t { kAuto, kBuildah, kPodman, kDocker, kCloudBuild };

/// Cloud Build in ClusterProfile::project.
struct CloudBuildProfile {
  std::string region;           ///< empty: "global"
  std::string machine;          ///< "e2-highcpu-8"; empty: the smallest
  std::string service_account;  ///< email address; empty: the project's default
  std::chrono::minutes timeout{60};
  /// URL of an emulator; empty: Google's. Receives credentials as CloudOptions::storage_endpoint.
  std::string endpoint;
};

/// The cluster, its credentials, and the images and accounts of its pods.
struct ClusterProfile {
  /// Merged as kubectl merges the files of KUBECONFIG: the first definition of an entry applies. A
  /// single file must exist; of several files, absent ones are skipped.
  std::vector<std::filesystem::path> kubeconfigs;
  std::string context;      ///< empty: the current one
  bool in_cluster = false;  ///< kKubernetes: use the account of the enclosing pod

  std::string project;            ///< for kGke and Cloud Build
  std::string location;           ///< kGke: a region or zone
  std::string cluster;            ///< kGke: its name
  bool private_endpoint = false;  ///< kGke: connect to the private endpoint
  bool dns_endpoint = false;      ///< kGke: connect to the DNS endpoint

  std::string name_space;       ///< empty: the context's, or "default"
  std::string service_account;  ///< of the pods; empty: the namespace's default
  std::string image;            ///< default image of jobs; empty: python:VERSION-slim
  std::string runner_image;     ///< required; built by `kinetic image runner`
  EnvironmentForm environments = EnvironmentForm::kAuto;
  /// Repository of package images: "registry/path/name"; empty: none.
  std::string environment_images;
  ContainerEngine container_engine = ContainerEngine::kAuto;
  CloudBuildProfile cloud_build;
  bool plain_registries = false;  ///< connect without TLS (always for localhost)
  /// Request a node while packages or an image are still being prepared.
  bool node_ahead = true;
  /// Unpack packages into memory, which is requested in addition to the job's, instead of the
  /// node's disk.
  bool packages_in_memory = false;
  /// Cloud Storage URL for pods, "http://storage.local:4443"; empty: the client's.
  std::string runner_endpoint;
  /// Google credential of pods: "metadata", "secret:NAME" (with the key credentials.json), or
  /// "none" for an emulator. Empty: "metadata".
  std::string runner_credentials;

  /// Whether credential plugins may use the caller's terminal.
  bool interactive = false;
};

/// A target and its store. The profile "local" is built in.
struct Profile {
  std::string name = "local";
  TargetKind kind = TargetKind::kLocal;
  std::string store;              ///< a folder (absolute path), or "gs://bucket/prefix"
  std::uint32_t concurrency = 0;  ///< local: jobs that run at once; 0: half the processors
  /// The folder that caches datasets for later jobs (absolute path); empty: no cache.
  std::string data_cache = {};
  ClusterProfile kubernetes = {};  ///< for kKubernetes and kGke
};

/// A context of a kubeconfig and its server.
struct KubeContext {
  std::string name;
  std::string server;  ///< as in the kubeconfig; may be empty
  bool current = false;
};

/// Returns the contexts of kubeconfigs (ClusterProfile::kubeconfigs) in file order.
///
/// @errors  kNotFound (no such file) · kInvalidArgument (with file, line and column) ·
///          kPermissionDenied.
KINETIC_EXPORT Result<std::vector<KubeContext>> ListContexts(
    const std::vector<std::filesystem::path>& kubeconfigs);

/// Returns whether a store location begins with "gs://".
KINETIC_EXPORT bool IsInBucket(std::string_view store);

/// Checks "gs://bucket/folder" against the naming rules of Cloud Storage. Sends no request.
///
/// @errors  kInvalidArgument.
/// @source  https://cloud.google.com/storage/docs/buckets#naming,
///          https://cloud.google.com/storage/docs/objects#naming
KINETIC_EXPORT Status CheckBucketStore(std::string_view store);

}  // namespace kinetic::inline v0
