#include "job/bundle/job_bundle.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/format/tree_codec.h"
#include "bundle/source/walk.h"
#include "jobspec/diagnostics.h"
#include "store/bucket/location.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <ranges>
#include <utility>

namespace kinetic::job {
namespace {

/// Returns the cache file for the metadata of the files under `root`.
Path CacheFile(const Context& context, const Path& root) {
  constexpr std::size_t kNameLength = 32;
  return context.options.cache_dir / kStatCacheFolder /
         Sha256::Of(root.native()).Hex().substr(0, kNameLength);
}

/// Lists files and loads their cache meanwhile, because either takes long for many files.
Result<LocalFiles> WalkWithCache(const Context& context, const Path& source,
                                 const std::function<Result<bundle::SourceTree>()>& walk) {
  const Path cache_file = CacheFile(context, source);
  const WallTime before = context.clock.Now();
  // Deferred if no thread can be started.
  auto loading = std::async(std::launch::async | std::launch::deferred, [&] {
    return bundle::StatCache::Load(context.fs, cache_file, before);
  });
  KINETIC_ASSIGN_OR_RETURN(auto tree, walk());
  KINETIC_ASSIGN_OR_RETURN(auto cache, loading.get());
  return LocalFiles{std::move(tree), std::move(cache), cache_file};
}

/// Write errors are ignored, because a missing cache only makes the next run slower.
void SaveCache(const Context& context, LocalFiles& files) {
  const auto saved = files.cache.Save(context.fs);
  if (!saved) context.Log(LogLevel::kDebug, saved.error().message);
}

std::string DescribeStored(const bundle::WriteReport& report) {
  if (report.existed) return "stored before";
  return fmt::format("stored {} objects, {}{}", report.objects_stored,
                     FormatBytes(report.bytes_stored), report.delta ? ", as a delta" : "");
}

Result<Path> RealPath(const Path& path) {
  std::error_code failed;
  Path real = std::filesystem::canonical(path, failed);
  if (failed) return Failure(ErrnoError(failed.value(), "cannot open", path));
  return real;
}

/// A C++ function gets the files of a bundle only if the job names one, because its program is not
/// part of it.
bool HasNoBundle(const JobSpec& spec) {
  return spec.function && spec.function->IsNative() && !spec.bundle.root;
}

Result<LocalFiles> EmptyBundle(const Context& context, const bundle::Root& root) {
  return WalkWithCache(context, "no bundle", [&] {
    return bundle::SourceTree{.root = root.path, .root_reason = root.reason};
  });
}

/// Warns about files, and names the first three.
void WarnAbout(const std::vector<std::string>& paths, std::string_view what, Observer& observer) {
  constexpr std::size_t kNamed = 3;
  if (paths.empty()) return;
  std::string text(what);
  for (const auto& path : paths | std::views::take(kNamed)) text += ' ' + Printable(path);
  if (paths.size() > kNamed) text += fmt::format(" and {} more", paths.size() - kNamed);
  observer.OnWarning(text);
}

}  // namespace

Result<bundle::Root> FindBundleRoot(const Context& context, const JobSpec& spec) {
  const auto& environment = context.options.environment;
  const auto home = environment.find("HOME");
  if (HasNoBundle(spec)) {
    KINETIC_ASSIGN_OR_RETURN(Path folder, RealPath(spec.directory));
    return bundle::Root{.path = std::move(folder), .reason = "no bundle", .repository = {}};
  }
  auto root = bundle::FindRoot(context.fs, spec.directory, spec.bundle.root,
                               home == environment.end() ? Path() : Path(home->second));
  if (root || !spec.bundle.root) return root;
  Error error = std::move(root).error();
  error.message.insert(0, jobspec::KeyWithPosition(spec, "bundle.root") + ": ");
  return Failure(std::move(error));
}

Result<LocalFiles> WalkBundle(const Context& context, const JobSpec& spec, const bundle::Root& root,
                              std::stop_token stop) {
  if (HasNoBundle(spec)) return EmptyBundle(context, root);
  bundle::WalkOptions options;
  options.exclude = spec.bundle.exclude;
  options.default_excludes = spec.bundle.default_excludes;
  options.threads = 0;
  options.skip_absolute = {context.options.profile.store, context.options.state_dir.native(),
                           context.options.cache_dir.native()};
  KINETIC_ASSIGN_OR_RETURN(auto files, WalkWithCache(context, root.path, [&] {
                             return bundle::Walk(context.fs, root, options, std::move(stop));
                           }));
  context.Log(LogLevel::kDebug,
              fmt::format("walked {} entries under {} ({})", files.source.entries.size(),
                          root.path.native(), root.reason));
  return files;
}

Result<LocalFiles> WalkData(const Context& context, const Path& source, bool follow_links,
                            std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const Path real, RealPath(source));
  return WalkWithCache(context, real, [&] {
    return bundle::WalkDataSource(context.fs, real, follow_links, std::move(stop));
  });
}

Result<Digest> HashFiles(const Context& context, LocalFiles& files, std::stop_token stop) {
  const bundle::Workspace workspace{context.fs, files.source, files.cache};
  KINETIC_ASSIGN_OR_RETURN(const Digest digest,
                           bundle::ComputeTreeDigest(workspace, {}, std::move(stop)));
  SaveCache(context, files);
  return digest;
}

std::unique_ptr<bundle::ContentLease> MakeSubmissionLease(Context& context) {
  constexpr std::size_t kRequests = 16;
  std::shared_ptr<bundle::TreeCache> trees;
  if (store::IsBucketLocation(context.options.profile.store)) {
    trees = std::make_shared<bundle::TreeCache>(context.fs, context.clock,
                                                context.options.cache_dir / kTreeCacheFolder,
                                                context.store->Location());
  }
  auto lease = std::make_unique<bundle::ContentLease>(*context.store, &bundle::ReferencesOf,
                                                      kRequests, std::move(trees));
  lease->DeferTrees();
  return lease;
}

Result<bundle::WriteReport> StoreFiles(Context& context, bundle::ContentLease& lease,
                                       LocalFiles& files, Observer& observer,
                                       std::stop_token stop) {
  const auto begun = std::chrono::steady_clock::now();
  const bundle::Workspace workspace{context.fs, files.source, files.cache};
  // A tree that is stored as a change of another is not read again, so the total is unknown.
  const std::uint64_t total = files.cache.last_tree() ? 0 : SizeOf(files.source).bytes;
  std::uint64_t done = 0;
  bundle::WriteOptions options;
  options.on_content = [&](std::uint64_t bytes) {
    done += bytes;
    observer.OnBytes(Phase::kStage, done, total == 0 ? 0 : std::max(done, total));
  };
  KINETIC_ASSIGN_OR_RETURN(
      auto report, bundle::WriteBundle(*context.store, lease, workspace, options, std::move(stop)));
  SaveCache(context, files);
  WarnAbout(report.changed,
            "files changed while they were read, and are stored as read:", observer);
  WarnAbout(report.removed,
            "files were removed while the folder was read, and are left out:", observer);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  context.Log(
      LogLevel::kDebug,
      fmt::format("tree {}: {} in {:.3f}s; read {} of {} files ({}), the others are unchanged "
                  "according to their times",
                  report.tree.Hex().substr(0, 12), DescribeStored(report), took.count(),
                  report.files_read, SizeOf(files.source).files, FormatBytes(report.bytes_read)));
  return report;
}

Size SizeOf(const bundle::SourceTree& source) {
  Size size;
  for (const auto& entry : source.entries) {
    if (entry.type != BundleEntry::Type::kFile) continue;
    ++size.files;
    size.bytes += entry.status.size_bytes;
  }
  return size;
}

std::string DescribeSize(const bundle::SourceTree& source) {
  const Size size = SizeOf(source);
  return FormatFiles(size.files, size.bytes);
}

}  // namespace kinetic::job
