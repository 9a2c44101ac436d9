#include "env/packages/built_wheels.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/files/temp_dir.h"
#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_lease.h"
#include "bundle/read/tree_loader.h"
#include "bundle/read/unpacker.h"
#include "env/packages/stored_packages.h"
#include "record/object_names.h"
#include "record/packages/objects.h"

#include <string>
#include <vector>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxWheelRecordBytes = 1U << 20;

std::string ObjectName(const LockedPackage& package) {
  return record::PackageName(Sha256::Of("kinetic built wheel\n" + package.hashes.front()));
}

Status Store(const LockedPackage& package, store::Store& store, const ToolOptions& tools,
             const std::stop_token& stop) {
  const auto stored = record::ReadStoredPackage(store, ObjectName(package), stop);
  if (stored && *stored) return {};
  bundle::ContentLease lease(store, &bundle::ReferencesOf);
  KINETIC_ASSIGN_OR_RETURN(
      const bundle::WriteReport report,
      StoreFolder(tools, store, lease, WheelFile(tools, package).parent_path(), stop));
  KINETIC_ASSIGN_OR_RETURN(const bundle::Tree tree, bundle::LoadTree(store, report.tree, stop));
  return record::WriteStoredPackage(store, ObjectName(package), DescribeTree(package.wheel, tree),
                                    stop);
}

Status Fetch(const LockedPackage& package, store::Store& store, const ToolOptions& tools,
             const std::stop_token& stop) {
  const Path wheel = WheelFile(tools, package);
  const Path folder = wheel.parent_path();
  if (tools.fs->Lstat(wheel)) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto stored,
                           record::ReadStoredPackage(store, ObjectName(package), stop));
  if (!stored) {
    return Fail(ErrorCode::kNotFound,
                "the store no longer has the wheel that was built for " + package.DisplayName(),
                "build it again: kinetic lock --renew");
  }
  KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools.fs, folder.parent_path()));
  KINETIC_ASSIGN_OR_RETURN(const TempDir temporary,
                           TempDir::Make(*tools.fs, folder.parent_path(), "wheel-"));
  const Path unpacked = temporary.path() / "unpacked";
  KINETIC_RETURN_IF_ERROR(bundle::Unpack(store, {*tools.fs, unpacked}, stored->tree, {}, stop));
  auto renamed = tools.fs->Rename(unpacked, folder);
  if (!renamed && tools.fs->Lstat(wheel)) return {};  // by another process
  return renamed;
}

}  // namespace

Path WheelFile(const ToolOptions& tools, const LockedPackage& package) {
  const std::string hash = package.hashes.front().substr(package.hashes.front().find(':') + 1);
  return tools.cache_dir / "tmp" / ("built-" + hash) / package.wheel;
}

Status StoreWheels(const Lock& lock, store::Store& store, const ToolOptions& tools,
                   const std::stop_token& stop) {
  for (const auto& package : lock.packages) {
    if (!package.wheel.empty()) KINETIC_RETURN_IF_ERROR(Store(package, store, tools, stop));
  }
  return {};
}

Status FetchWheels(const Lock& lock, store::Store& store, const ToolOptions& tools,
                   const std::stop_token& stop) {
  for (const auto& package : lock.packages) {
    if (!package.wheel.empty()) KINETIC_RETURN_IF_ERROR(Fetch(package, store, tools, stop));
  }
  return {};
}

Status RenewWheels(const Lock& lock, store::Store& store, const std::stop_token& stop) {
  std::vector<std::string> names;
  for (const auto& package : lock.packages) {
    if (!package.wheel.empty()) names.push_back(ObjectName(package));
  }
  const auto renew = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    const auto found = store::GetAndRenew(store, names[i], kMaxWheelRecordBytes, stopping);
    // FetchWheels reports a damaged object if it is needed.
    if (!found && found.error().code != ErrorCode::kDataLoss) return Failure(found.error());
    return {};
  };
  return ParallelFor(kConcurrentReads, names.size(), stop, renew);
}

void AddWheelUrls(const Lock& lock, const ToolOptions& tools, PrivateUrls& urls) {
  for (const auto& package : lock.packages) {
    if (package.wheel.empty()) continue;
    urls[package.url] = "file://" + WheelFile(tools, package).native();
  }
}

}  // namespace kinetic::env
