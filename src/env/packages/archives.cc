#include "kinetic/try.h"

#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_lease.h"
#include "bundle/read/tree_loader.h"
#include "env/install/package.h"
#include "env/packages/stored_packages.h"
#include "record/object_names.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::env {
namespace {

/// Maximum number of attempts if garbage collection removes content during the build.
constexpr int kMaxAttempts = 3;

/// Returns the key of a lock's environment in the store, which changes with its content.
Digest EnvironmentKey(const Lock& lock, const std::string& prefix) {
  Sha256 hash;
  hash.Update(lock.EnvironmentId().View());
  for (const auto& package : lock.packages) hash.Update(WheelKey(lock, package, prefix).View());
  return hash.Finish();
}

class ArchivesBuilder final : public EnvironmentBuilder {
 public:
  explicit ArchivesBuilder(ArchivesOptions options) : options_(std::move(options)) {}

  Result<std::optional<ReadyEnvironment>> Find(const Lock& lock, std::stop_token stop) override {
    const std::string name = record::EnvironmentName(EnvironmentKey(lock, options_.prefix));
    const auto stored = record::ReadStoredPackage(options_.store, name, std::move(stop));
    if (!stored && stored.error().code != ErrorCode::kDataLoss) return Failure(stored.error());
    // Invalid objects are replaced.
    if (!stored || !*stored) return std::optional<ReadyEnvironment>();
    return std::optional(Ready(lock, **stored, false));
  }

  Result<ReadyEnvironment> Ensure(const Lock& lock, Observer* observer,
                                  std::stop_token stop) override {
    for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
      bundle::ContentLease lease(options_.store, &bundle::ReferencesOf);
      KINETIC_ASSIGN_OR_RETURN(auto found, Find(lock, stop));
      if (found) {
        KINETIC_ASSIGN_OR_RETURN(const bool exists, lease.ReuseTree(found->tree->digest, stop));
        if (exists) return *std::move(found);
      }
      auto built = Build(lock, lease, observer, stop);
      if (built || built.error().code != ErrorCode::kAborted) return built;
    }
    return Fail(ErrorCode::kAborted,
                "cannot store the environment: stored content was repeatedly removed",
                "run the same command again");
  }

 private:
  Result<ReadyEnvironment> Build(const Lock& lock, bundle::ContentLease& lease, Observer* observer,
                                 const std::stop_token& stop) {
    const PackageStore packages{options_.tools, options_.private_urls, options_.store, lease,
                                options_.prefix};
    KINETIC_ASSIGN_OR_RETURN(const PackageTrees found,
                             ObtainPackageTrees(lock, packages, observer, stop));
    KINETIC_ASSIGN_OR_RETURN(const bundle::MergedTree merged, bundle::MergeTrees(found.trees));
    if (!merged.replaced.empty() && observer != nullptr) {
      observer->OnWarning(
          "several packages contain " + merged.replaced.front() +
          (merged.replaced.size() == 1 ? "" : " and other files") +
          " with different content; kinetic uses the files of the last package by name");
    }
    const record::StoredPackage stored = DescribeTree(
        fmt::format("{} packages for Python {}", lock.packages.size(), lock.python), merged.tree);
    KINETIC_ASSIGN_OR_RETURN(const std::string object, bundle::EncodeTree(merged.tree));
    KINETIC_RETURN_IF_ERROR(lease.PutTree(stored.tree, object, stop));
    const std::string name = record::EnvironmentName(EnvironmentKey(lock, options_.prefix));
    KINETIC_RETURN_IF_ERROR(record::WriteStoredPackage(options_.store, name, stored, stop));
    return Ready(lock, stored, true);
  }

  ReadyEnvironment Ready(const Lock& lock, const record::StoredPackage& stored, bool built) const {
    const Path root = options_.prefix;
    ReadyEnvironment ready{lock.EnvironmentId().Hex(), root, root / "bin/python", built};
    ready.tree = {stored.tree, stored.files, stored.bytes};
    return ready;
  }

  const ArchivesOptions options_;
};

}  // namespace

std::vector<std::string> ArchiveObjects(const Lock& lock, const std::string& prefix) {
  std::vector<std::string> names;
  names.reserve(lock.packages.size() + 1);
  for (const auto& package : lock.packages) {
    names.push_back(record::PackageName(WheelKey(lock, package, prefix)));
  }
  names.push_back(record::EnvironmentName(EnvironmentKey(lock, prefix)));
  return names;
}

std::unique_ptr<EnvironmentBuilder> MakeArchivesBuilder(ArchivesOptions options) {
  return std::make_unique<ArchivesBuilder>(std::move(options));
}

}  // namespace kinetic::env
