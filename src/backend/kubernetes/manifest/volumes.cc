#include "backend/kubernetes/manifest/placement.h"
#include "backend/kubernetes/manifest/pod_template.h"
#include "base/files/file_system.h"
#include "pod/container.h"
#include "record/path_references.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::string_view kSecretPrefix = "secret:";

/// Returns the Secret with the collector's credential, or an empty string.
std::string CredentialSecret(const ClusterProfile& cluster) {
  const std::string_view where = cluster.runner_credentials;
  return std::string(where.starts_with(kSecretPrefix) ? where.substr(kSecretPrefix.size()) : "");
}

/// Pages and blocks have 4 KiB, and Python writes compiled files next to its modules.
std::uint64_t SpaceFor(const record::PodEnvironment& environment) {
  constexpr std::uint64_t kMargin = 64U << 20;
  const std::uint64_t pages = environment.bytes + environment.files * 4096;
  return pages + pages / 2 + kMargin;
}

Value EmptyFolder(std::string_view name, bool in_memory, std::optional<std::uint64_t> bytes) {
  Value::Map folder;
  if (in_memory) folder.emplace_back("medium", "Memory");
  if (bytes) folder.emplace_back("sizeLimit", BytesQuantity(*bytes));
  return Value::Map{{"name", std::string(name)}, {"emptyDir", std::move(folder)}};
}

/// Returns the mounts of both containers.
Value::List CommonMounts(const record::Record& record) {
  Value::List mounts{VolumeMount(kSharedVolume, pod::kSharedFolder)};
  if (record.environment) mounts.push_back(VolumeMount(kPackagesVolume, pod::kPackagesFolder));
  return mounts;
}

bool IsFile(const record::Record& record, const std::string& path) {
  const auto sent = record.data.find(path);
  if (sent != record.data.end()) return sent->second.file;
  const auto listed = record.listed_data.find(path);
  return listed != record.listed_data.end() && listed->second.file;
}

/// Returns the part of the shared folder for a data path: "run/data/data" for "/data".
std::string PartFor(const std::string& path) {
  const Path shared(pod::kSharedFolder);
  const Path folder = Path(pod::kRuntimeFolder) / "data" / Path(path).relative_path();
  return folder.lexically_relative(shared).native();
}

std::string Normal(std::string_view path) { return Path(path).lexically_normal().native(); }

bool IsIn(std::string_view path, std::string_view folder) {
  const std::string normal = Normal(path);
  return normal.starts_with(folder) &&
         (normal.size() == folder.size() || normal[folder.size()] == '/');
}

}  // namespace

Value VolumeMount(std::string_view volume, std::string_view path) {
  return Value::Map{{"name", std::string(volume)}, {"mountPath", std::string(path)}};
}

Value::List VolumesOf(const ManifestRequest& request) {
  const Resources& resources = request.record->spec.resources;
  Value::List volumes{EmptyFolder(kSharedVolume, false, resources.disk_bytes),
                      EmptyFolder(kMemoryVolume, true, resources.shm_bytes)};
  if (request.record->environment) {
    const std::uint64_t memory = PackagesMemory(request);
    volumes.push_back(EmptyFolder(kPackagesVolume, memory > 0,
                                  memory > 0 ? std::optional(memory) : std::nullopt));
  }
  if (auto credential = CredentialFileOf(request.cluster)) {
    volumes.push_back(std::move(credential->volume));
  }
  return volumes;
}

Result<Value::List> MainMounts(const ManifestRequest& request) {
  const record::Record& record = *request.record;
  Value::List mounts = CommonMounts(record);
  mounts.push_back(VolumeMount(kMemoryVolume, "/dev/shm"));
  for (const auto& [path, source] : record.spec.data) {
    if (!Path(path).is_absolute()) continue;
    if (!IsFile(record, path)) {
      Value mount = VolumeMount(kSharedVolume, path);
      mount.Set("subPath", PartFor(path));
      mounts.push_back(std::move(mount));
    } else if (!record::IsReferredTo(record.spec.args, path)) {
      return Fail(ErrorCode::kInvalidArgument,
                  "data." + path + ": " + source.source +
                      " is a single file; only folders can be mounted at an absolute path",
                  "use the file's folder, or pass the file as an argument: {$path: " + path + "}");
    }
  }
  return mounts;
}

Value::List CollectorMounts(const ManifestRequest& request) {
  Value::List mounts = CommonMounts(*request.record);
  if (auto credential = CredentialFileOf(request.cluster)) {
    mounts.push_back(std::move(credential->mount));
  }
  return mounts;
}

std::optional<CredentialFile> CredentialFileOf(const ClusterProfile& cluster) {
  std::string secret = CredentialSecret(cluster);
  if (secret.empty()) return std::nullopt;
  const Path file(pod::kCredentialFile);
  const std::string key = file.filename();
  // Only the container that needs it mounts it, and its user is not known here.
  constexpr int kReadable = 0444;
  Value mount = VolumeMount(kCredentialVolume, file.parent_path().native());
  mount.Set("readOnly", true);
  return CredentialFile{
      .volume =
          Value::Map{
              {"name", std::string(kCredentialVolume)},
              {"secret", Value::Map{{"secretName", std::move(secret)},
                                    {"items", Value::List{Value::Map{{"key", key}, {"path", key}}}},
                                    {"defaultMode", kReadable}}}},
      .mount = std::move(mount)};
}

std::uint64_t PackagesMemory(const ManifestRequest& request) {
  const auto& environment = request.record->environment;
  return environment && request.cluster.packages_in_memory ? SpaceFor(*environment) : 0;
}

std::uint64_t FilesDisk(const ManifestRequest& request) {
  constexpr std::uint64_t kMargin = std::uint64_t{1} << 30;
  constexpr std::uint64_t kMost = std::uint64_t{10} << 30;
  const record::Record& record = *request.record;
  if (record.spec.resources.disk_bytes || !record.spec.queue.empty()) return 0;
  std::uint64_t bytes = 0;
  if (record.environment && !request.cluster.packages_in_memory)
    bytes += SpaceFor(*record.environment);
  for (const auto& [path, data] : record.listed_data) bytes += data.bytes;
  return bytes == 0 ? 0 : std::min(bytes + kMargin, kMost);
}

bool IsInSharedFolder(std::string_view path) { return IsIn(path, pod::kSharedFolder); }

bool IsReservedPath(std::string_view path) {
  constexpr std::array<std::string_view, 4> kOfContainers{"/proc", "/sys", "/dev",
                                                          pod::kPackagesFolder};
  return Normal(path) == "/" || IsInSharedFolder(path) ||
         std::ranges::any_of(kOfContainers,
                             [&](std::string_view folder) { return IsIn(path, folder); });
}

}  // namespace kinetic::backend
