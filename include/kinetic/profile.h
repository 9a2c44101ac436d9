#pragma once

#include "kinetic/export.h"
#include "kinetic/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// kKubernetes is any cluster, found by a kubeconfig or from within; kGke is found by its name.
enum class TargetKind : std::uint8_t { kLocal, kKubernetes, kGke };

/// How a cluster's jobs get their packages. kArchives: pods unpack them beside the Python of a
/// plain image. kLayers: kinetic appends them as layers to the base image. kAuto: the image if it
/// exists, else archives; kinetic builds the image when the same packages are used again.
enum class EnvironmentForm : std::uint8_t { kAuto, kArchives, kLayers };

/// What builds the image of a job's own Dockerfile. kBuildah, kPodman, kDocker: that program of
/// this machine. kCloudBuild: Google's Cloud Build. kAuto: the first of these programs on the path.
enum class ContainerEngine : std::uint8_t { kAuto, kBuildah, kPodman, kDocker, kCloudBuild };

/// Who resolves and fetches the packages of a cluster's jobs that nobody has stored yet. kHere:
/// this machine, with its uv or pip. kCluster: a pod, with those of the image that jobs run upon.
/// kAuto: this machine if it can, else a pod.
enum class PackagesMaker : std::uint8_t { kAuto, kHere, kCluster };

/// How Google's Cloud Build builds images, in ClusterProfile::project.
struct CloudBuildProfile {
  std::string region;           ///< empty: "global"
  std::string machine;          ///< "e2-highcpu-8"; empty: Cloud Build's smallest
  std::string service_account;  ///< e-mail address of who builds; empty: the project's own
  std::chrono::minutes timeout{60};
  /// What stands in for Google's own; empty: none. It is shown no credential that was only found:
  /// as CloudOptions::storage_endpoint.
  std::string endpoint;
};

/// The cluster, its credentials, and the images and accounts of its pods.
struct ClusterProfile {
  /// Read as kubectl reads the files of KUBECONFIG: of each entry the first one counts. One alone
  /// must be there; of several, those that are absent are passed over. Empty: there is none.
  std::vector<std::filesystem::path> kubeconfigs;
  std::string context;      ///< in them; empty: the current one
  bool in_cluster = false;  ///< kKubernetes: the account of the pod that this runs in

  std::string project;            ///< kGke; and where Cloud Build makes images
  std::string location;           ///< kGke: a region, or a zone
  std::string cluster;            ///< kGke: its name
  bool private_endpoint = false;  ///< kGke: reached within its network
  bool dns_endpoint = false;      ///< kGke: reached by its name in DNS

  std::string name_space;       ///< empty: the context's, else "default"
  std::string service_account;  ///< of the pods; empty: the namespace's default
  std::string image;            ///< of jobs that name none; empty: python:VERSION-slim
  std::string runner_image;     ///< of what runs beside a job; empty: the one of this version
  EnvironmentForm environments = EnvironmentForm::kAuto;
  /// Where images for environments are kept: "registry/path/name"; empty: there are none.
  std::string environment_images;
  ContainerEngine container_engine = ContainerEngine::kAuto;
  CloudBuildProfile cloud_build;
  bool plain_registries = false;  ///< are asked without TLS, as those on this machine are anyway
  PackagesMaker packages_made = PackagesMaker::kAuto;
  /// Request a node while packages or an image are still being prepared.
  bool node_ahead = true;
  /// Whether the packages that a job brings are unpacked into memory, which is asked for besides
  /// the job's own, and not onto the node's disk.
  bool packages_in_memory = false;
  /// Cloud Storage as pods reach it, "http://storage.local:4443"; empty: as the client does.
  std::string runner_endpoint;
  /// How pods come by a Google credential: "metadata", "secret:NAME" (its key credentials.json), or
  /// "none" for an emulator. Empty: "metadata".
  std::string runner_credentials;

  /// Whether a credential plugin may use the caller's terminal.
  bool interactive = false;
};

/// A named target: where objects are kept and where jobs run. "local" is built in.
struct Profile {
  std::string name = "local";
  TargetKind kind = TargetKind::kLocal;
  std::string store;              ///< a folder (absolute path), or "gs://bucket/prefix"
  std::uint32_t concurrency = 0;  ///< local: jobs that run at once; 0: one for each two processors
  /// The folder of a volume that keeps what `data:` names for later jobs (absolute path); empty:
  /// nothing is kept.
  std::string data_cache = {};
  ClusterProfile kubernetes = {};  ///< of kKubernetes and kGke
};

/// A context of a kubeconfig and its server.
struct KubeContext {
  std::string name;
  std::string server;  ///< as in the kubeconfig; may be empty
  bool current = false;
};

/// The contexts of kubeconfigs, as ClusterProfile::kubeconfigs has them, in their order.
///
/// @errors  kNotFound (no such file) · kInvalidArgument (one of them: file, line and column) ·
///          kPermissionDenied.
KINETIC_EXPORT Result<std::vector<KubeContext>> ListContexts(
    const std::vector<std::filesystem::path>& kubeconfigs);

/// Returns whether the location of a store begins with "gs://".
KINETIC_EXPORT bool IsInBucket(std::string_view store);

/// Checks the names in "gs://bucket/folder" by the rules of Cloud Storage. Contacts no server.
///
/// @errors  kInvalidArgument; the message says why not.
/// @source  https://cloud.google.com/storage/docs/buckets#naming,
///          https://cloud.google.com/storage/docs/objects#naming
KINETIC_EXPORT Status CheckBucketStore(std::string_view store);

}  // namespace kinetic
