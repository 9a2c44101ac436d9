#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/manifest/placement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::backend {

/// Returns the pod template of a job, without the job file's pod fields. The collector is a native
/// sidecar, which copies the launcher to the shared folder before the job's container starts. The
/// launcher is the first process of that container.
///
/// @param object_name  of the Job and its Secret.
/// @errors  kInvalidArgument: a file under `data` at an absolute path.
/// @source  docs/reference/kubernetes.md, "Pod"
Result<Value> PodTemplate(const ManifestRequest& request, const Placement& placement,
                          const std::string& object_name);

inline constexpr std::string_view kSharedVolume = "kinetic";
inline constexpr std::string_view kMemoryVolume = "kinetic-shm";
inline constexpr std::string_view kCredentialVolume = "kinetic-credentials";
inline constexpr std::string_view kPackagesVolume = "kinetic-packages";

Value VolumeMount(std::string_view volume, std::string_view path);

/// Returns the volumes: the folder that both containers share, /dev/shm, the folder for the job's
/// packages, and the collector's credential if the profile names a Secret.
Value::List VolumesOf(const ManifestRequest& request);

/// Returns the mounts of the job's container. Folders under `data` at absolute paths are parts of
/// the shared folder, so that containers need no permission to create such paths.
///
/// @errors  kInvalidArgument: a single file at an absolute path.
Result<Value::List> MainMounts(const ManifestRequest& request);

Value::List CollectorMounts(const ManifestRequest& request);

/// Returns the volume and mount of the credential with which pods access the store, or nullopt if
/// the profile names no Secret.
struct CredentialFile {
  Value volume;
  Value mount;
};
std::optional<CredentialFile> CredentialFileOf(const ClusterProfile& cluster);

/// Returns the size of the memory volume for a job's packages, or 0 if the profile does not request
/// one.
std::uint64_t PackagesMemory(const ManifestRequest& request);

/// Returns the disk space to request for packages and for data from buckets, or 0 if the job has
/// none of them, requests disk space, or is in a queue, whose quota may not cover it. Autopilot
/// limits a container without a request to 1 GiB, and requests to 10 GiB.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/concepts/autopilot-resource-requests
std::uint64_t FilesDisk(const ManifestRequest& request);

/// Returns whether `path` is the shared folder or in it.
bool IsInSharedFolder(std::string_view path);

/// Returns whether `path` is reserved: in the shared folder, in the packages folder, or in a folder
/// that each container has (/proc, /sys, /dev).
bool IsReservedPath(std::string_view path);

/// Return the security contexts of the pod and of each container. Containers never gain privileges.
/// They run as the image's user, or as an unnamed user if the namespace enforces "restricted".
///
/// @source  https://kubernetes.io/docs/concepts/security/pod-security-standards/
Value PodSecurity(bool restricted);
Value ContainerSecurity(bool restricted);

}  // namespace kinetic::backend
