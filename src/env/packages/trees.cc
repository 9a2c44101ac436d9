#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/files/temp_dir.h"
#include "base/strings.h"
#include "bundle/gc/content_removal.h"
#include "bundle/read/tree_loader.h"
#include "bundle/source/walk.h"
#include "bundle/write/bundle_writer.h"
#include "bundle/write/stat_cache.h"
#include "env/install/package.h"
#include "env/packages/stored_packages.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

namespace kinetic::env {
namespace {

/// Maximum number of concurrent installations, which mostly wait for the index.
constexpr std::size_t kConcurrentInstalls = 4;

/// Serializes calls from several threads.
class SynchronizedObserver final : public Observer {
 public:
  explicit SynchronizedObserver(Observer* observer) : observer_(observer) {}

  void OnOutput(Phase phase, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    if (observer_ != nullptr) observer_->OnOutput(phase, line);
  }
  void OnWarning(std::string_view message) override {
    const std::lock_guard lock(mutex_);
    if (observer_ != nullptr) observer_->OnWarning(message);
  }

 private:
  std::mutex mutex_;
  Observer* observer_;
};

class TreeObtainer {
 public:
  TreeObtainer(const Lock& lock, const PackageStore& packages, Observer* observer,
               std::stop_token stop)
      : lock_(lock), packages_(packages), observer_(observer), stop_(std::move(stop)) {}

  Result<PackageTrees> Run() {
    KINETIC_RETURN_IF_ERROR(FindStored());
    if (!missing_.empty()) KINETIC_RETURN_IF_ERROR(InstallMissing());
    result_.installed = missing_.size();
    return std::move(result_);
  }

 private:
  std::string ObjectName(std::size_t i) const {
    return record::PackageName(WheelKey(lock_, lock_.packages[i], packages_.prefix));
  }

  Status FindStored() {
    result_.trees.resize(lock_.packages.size());
    std::vector<char> is_stored(lock_.packages.size());
    const auto find = [&](std::size_t i, const std::stop_token& stop) -> Status {
      KINETIC_ASSIGN_OR_RETURN(const bool found, LoadStored(i, stop));
      is_stored[i] = found ? 1 : 0;
      return {};
    };
    KINETIC_RETURN_IF_ERROR(ParallelFor(kConcurrentReads, lock_.packages.size(), stop_, find));
    for (std::size_t i = 0; i < is_stored.size(); ++i) {
      if (is_stored[i] == 0) missing_.push_back(i);
    }
    return {};
  }

  /// Loads a package's tree if it is stored completely. Returns false for invalid objects, which
  /// are replaced.
  Result<bool> LoadStored(std::size_t i, const std::stop_token& stop) {
    const auto stored = record::ReadStoredPackage(packages_.store, ObjectName(i), stop);
    if (!stored) return FalseIfInvalid(stored.error());
    if (!*stored) return false;
    KINETIC_ASSIGN_OR_RETURN(const bool exists, packages_.lease.ReuseTree((*stored)->tree, stop));
    if (!exists) return false;
    auto tree = bundle::LoadTree(packages_.store, (*stored)->tree, stop);
    if (!tree && tree.error().code == ErrorCode::kDataLoss) {
      // Otherwise it would be taken for the same tree when it is stored again.
      KINETIC_RETURN_IF_ERROR(
          bundle::RemoveDamagedTree(packages_.store, (*stored)->tree, std::nullopt, stop));
    }
    if (!tree) return FalseIfInvalid(tree.error());
    result_.trees[i] = *std::move(tree);
    return true;
  }

  static Result<bool> FalseIfInvalid(const Error& error) {
    if (error.code == ErrorCode::kDataLoss || error.code == ErrorCode::kNotFound) return false;
    return Failure(error);
  }

  Status InstallMissing() {
    const ToolOptions& tools = packages_.tools;
    KINETIC_ASSIGN_OR_RETURN(const PackageInstaller installer,
                             FindPackageInstaller(tools, packages_.private_urls,
                                                  MinorVersion(lock_.python), &observer_, stop_));
    const Path parent = tools.cache_dir / "tmp";
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools.fs, parent));
    KINETIC_ASSIGN_OR_RETURN(const TempDir folder, TempDir::Make(*tools.fs, parent, "packages-"));
    const auto install = [&](std::size_t k, const std::stop_token& stop) {
      return InstallAndStore(installer, folder.path(), missing_[k], stop);
    };
    return ParallelFor(kConcurrentInstalls, missing_.size(), stop_, install);
  }

  Status InstallAndStore(const PackageInstaller& installer, const Path& parent, std::size_t i,
                         const std::stop_token& stop) {
    FileSystem& fs = *packages_.tools.fs;
    const LockedPackage& package = lock_.packages[i];
    const Path folder = parent / std::to_string(i);
    KINETIC_RETURN_IF_ERROR(
        InstallPackage(installer, lock_, package, {folder, packages_.prefix}, &observer_, stop));
    KINETIC_ASSIGN_OR_RETURN(
        const bundle::WriteReport report,
        StoreFolder(packages_.tools, packages_.store, packages_.lease, folder, stop));
    if (!report.changed.empty() || !report.removed.empty()) {
      return Fail(ErrorCode::kAborted,
                  "cannot store " + package.DisplayName() +
                      ": another process is changing its files in " + Printable(folder.native()),
                  "run the command again");
    }
    KINETIC_ASSIGN_OR_RETURN(result_.trees[i],
                             bundle::LoadTree(packages_.store, report.tree, stop));
    KINETIC_RETURN_IF_ERROR(
        record::WriteStoredPackage(packages_.store, ObjectName(i),
                                   DescribeTree(package.DisplayName(), result_.trees[i]), stop));
    Report(package, report);
    return RemoveTree(fs, folder);
  }

  void Report(const LockedPackage& package, const bundle::WriteReport& report) {
    {
      const std::lock_guard lock(mutex_);
      result_.stored_bytes += report.bytes_stored;
    }
    observer_.OnOutput(Phase::kBuild, fmt::format("{}: {} stored", package.DisplayName(),
                                                  FormatBytes(report.bytes_stored)));
  }

  const Lock& lock_;
  const PackageStore& packages_;
  SynchronizedObserver observer_;
  const std::stop_token stop_;
  std::vector<std::size_t> missing_;
  std::mutex mutex_;
  PackageTrees result_;
};

}  // namespace

Result<bundle::WriteReport> StoreFolder(const ToolOptions& tools, store::Store& store,
                                        bundle::ContentLease& lease, const Path& folder,
                                        const std::stop_token& stop) {
  FileSystem& fs = *tools.fs;
  KINETIC_ASSIGN_OR_RETURN(
      auto cache, bundle::StatCache::Load(fs, folder.native() + ".stat", tools.clock->Now()));
  bundle::WalkOptions options;
  options.default_excludes = false;
  options.ignore_files = false;
  const bundle::Root root{.path = folder, .reason = "a package", .repository = {}};
  KINETIC_ASSIGN_OR_RETURN(auto source, bundle::Walk(fs, root, options, stop));
  return bundle::WriteBundle(store, lease, {fs, source, cache}, {}, stop);
}

record::StoredPackage DescribeTree(std::string name, const bundle::Tree& tree) {
  record::StoredPackage stored{.name = std::move(name), .tree = TreeDigest(tree.entries)};
  for (const auto& entry : tree.entries) {
    if (entry.type != BundleEntry::Type::kFile) continue;
    ++stored.files;
    stored.bytes += entry.size_bytes;
  }
  return stored;
}

Result<PackageTrees> ObtainPackageTrees(const Lock& lock, const PackageStore& packages,
                                        Observer* observer, std::stop_token stop) {
  return TreeObtainer(lock, packages, observer, std::move(stop)).Run();
}

}  // namespace kinetic::env
