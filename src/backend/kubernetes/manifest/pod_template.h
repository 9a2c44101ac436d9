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

/// The pod template of a job, before the job file's own pod fields: the collector as a native
/// sidecar, which installs the launcher into the shared folder before the job's container starts,
/// and that container, whose first process is the launcher.
///
/// @param object_name  of the Job and its Secret.
/// @errors  kInvalidArgument: a file under `data` at an absolute path, which no container can be
///          given.
/// @source  docs/reference/kubernetes.md, "Pod"
Result<Value> PodTemplate(const ManifestRequest& request, const Placement& placement,
                          const std::string& object_name);

inline constexpr std::string_view kSharedVolume = "kinetic";
inline constexpr std::string_view kMemoryVolume = "kinetic-shm";
inline constexpr std::string_view kCredentialVolume = "kinetic-credentials";
inline constexpr std::string_view kPackagesVolume = "kinetic-packages";

Value VolumeMount(std::string_view volume, std::string_view path);

/// The folder that both containers share, /dev/shm, the folder for the packages that a job brings,
/// and the collector's credential where the profile names a Secret.
Value::List VolumesOf(const ManifestRequest& request);

/// What the job's container mounts: also what is under `data` at an absolute path, as parts of the
/// shared folder, so that nobody in the container need be allowed to make such a path.
///
/// @errors  kInvalidArgument: a single file there, which the folder cannot be a part for.
Result<Value::List> MainMounts(const ManifestRequest& request);

Value::List CollectorMounts(const ManifestRequest& request);

/// The volume and its mount for the credential that pods reach the store with, where the profile
/// names a Secret for it; nothing: they need none.
struct CredentialFile {
  Value volume;
  Value mount;
};
std::optional<CredentialFile> CredentialFileOf(const ClusterProfile& cluster);

/// The memory that the packages of a job are kept in, where the profile wants them there; else 0.
std::uint64_t PackagesMemory(const ManifestRequest& request);

/// Whether `path` is the shared folder or in it.
bool IsInSharedFolder(std::string_view path);

/// Whether nothing can be laid down at `path`: it is in the shared folder, in that of the packages,
/// or in one of those that each container has of its own (/proc, /sys, /dev).
bool IsReservedPath(std::string_view path);

/// The pod's and each container's security context. A pod never gains privileges; otherwise it is
/// its image's user, unless the namespace enforces "restricted": then it is a user without a name.
///
/// @source  https://kubernetes.io/docs/concepts/security/pod-security-standards/
Value PodSecurity(bool restricted);
Value ContainerSecurity(bool restricted);

}  // namespace kinetic::backend
