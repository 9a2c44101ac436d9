#include "runner/staging/fetch.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "bundle/gc/content_removal.h"
#include "bundle/read/tree_loader.h"
#include "bundle/write/stat_cache.h"
#include "gcs/parallel_transfer.h"
#include "local/process_identity.h"
#include "local/replace_file.h"
#include "runner/diagnostics.h"
#include "store/bucket/location.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace kinetic::runner {
namespace {

constexpr std::size_t kNetworkUnpackThreads = 16;
constexpr std::size_t kThreadPerCore = 0;

constexpr std::uint64_t kMaxMarkerBytes = 4096;

Path MarkerPath(const Path& folder) {
  Path marker = folder;
  marker += ".complete";
  return marker;
}

/// Returns the content of a complete folder's marker. It names the boot, because files are not
/// synced to disk and may be incomplete after a crash.
Result<std::string> MarkerText(const Digest& tree) {
  KINETIC_ASSIGN_OR_RETURN(const auto machine, local::IdentifyThisProcess(""));
  return tree.Hex() + " " + machine.boot_id + "\n";
}

/// Larger objects are downloaded one at a time, in ranges.
constexpr std::uint64_t kSmallBytes = 32U << 20;
/// Small objects that are downloaded in parallel.
constexpr std::size_t kConnections = 16;
constexpr int kReadTries = 2;

Failure GenerationMissing(const gcs::Client& client, const std::string& name,
                          std::int64_t generation) {
  return Fail(ErrorCode::kNotFound,
              "gs://" + client.bucket() + "/" + Printable(name) +
                  " was changed or removed after the job was submitted (generation " +
                  std::to_string(generation) + ")",
              "submit the job again, and do not change its data until the job has started");
}

/// Creates the folders of all objects.
Status MakeFolders(FileSystem& fs, const record::DataListing& listing, const Path& folder) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder, 0755));
  std::set<Path> created{folder};
  for (const auto& object : listing.objects) {
    const Path parent = (folder / object.path).parent_path();
    if (!created.insert(parent).second) continue;
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, parent, 0755));
  }
  return {};
}

bool IsContentError(const Error& error) {
  return error.code == ErrorCode::kDataLoss || error.code == ErrorCode::kNotFound;
}

/// Removes the damaged objects of a tree, so that the next client stores them again. Returns the
/// error with advice.
Error RemoveDamaged(store::Store& store, const Digest& tree, Error error,
                    const std::stop_token& stop) {
  std::optional<Digest> pack;
  for (const auto& [key, value] : error.details) {
    if (key == bundle::kPackDetail) pack = Digest::FromHex(value);
  }
  const auto removed = bundle::RemoveDamagedTree(store, tree, pack, stop);
  if (!removed) {
    LogFailure("removing damaged objects", Failure(removed.error()));
    return error;
  }
  if (removed->empty()) return error;
  for (const std::string& name : *removed) LogDiagnostic("removed the damaged object " + name);
  error.hint = "the damaged objects were removed; run the job again to store them again";
  return error;
}

/// Returns the digests of the files of a source, or nullopt if there is none.
std::optional<bundle::StatCache> LoadDigests(FileSystem& fs, const local::StoredSource* source) {
  if (source == nullptr) return std::nullopt;
  auto cache = bundle::StatCache::Load(fs, source->stat_cache, WallTime());
  if (!cache) return std::nullopt;
  return *std::move(cache);
}

}  // namespace

Result<bundle::UnpackReport> FetchTree(store::Store& store, const bundle::Destination& destination,
                                       const TreeContent& content,
                                       FetchProgress::Transfer& transfer, std::stop_token stop) {
  const auto cache = LoadDigests(destination.fs, content.source);
  std::optional<bundle::OriginalFiles> originals;
  if (cache) {
    originals = {content.source->folder,
                 [&cache](const std::string& path, const FileStatus& status) {
                   return cache->Find(path, status);
                 }};
  }
  const bundle::UnpackOptions options{
      .threads = store::IsBucketLocation(store.Location()) ? kNetworkUnpackThreads : kThreadPerCore,
      .originals = originals ? &*originals : nullptr,
      .on_total = [&transfer](std::uint64_t total_bytes) { transfer.Expect(total_bytes); },
      .on_bytes = [&transfer](std::uint64_t bytes) { transfer.Add(bytes); }};
  auto report = bundle::Unpack(store, destination, content.tree, options, stop);
  if (report || !IsContentError(report.error())) return report;
  return Failure(RemoveDamaged(store, content.tree, std::move(report).error(), stop));
}

bool HasEnvironment(FileSystem& fs, const record::PodEnvironment& environment, const Path& folder) {
  const auto wanted = MarkerText(environment.tree);
  const auto found = ReadFile(fs, MarkerPath(folder), kMaxMarkerBytes);
  return wanted && found && *wanted == *found;
}

bool IsInMemory(const Path& folder) {
  struct statfs about{};
  return ::statfs(folder.c_str(), &about) == 0 && about.f_type == TMPFS_MAGIC;
}

Result<bundle::UnpackReport> FetchEnvironment(store::Store& store, FileSystem& fs,
                                              const record::PodEnvironment& environment,
                                              const Path& folder, FetchProgress::Transfer& transfer,
                                              std::stop_token stop) {
  const Path marker = MarkerPath(folder);
  KINETIC_ASSIGN_OR_RETURN(const std::string wanted, MarkerText(environment.tree));
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs, marker));
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs, folder));
  auto report = FetchTree(store, {fs, folder}, {environment.tree}, transfer, std::move(stop));
  if (!report) return Failure(std::move(report).error().Context("cannot fetch the environment"));
  KINETIC_RETURN_IF_ERROR(local::ReplaceFile(fs, marker, wanted, 0644));
  return report;
}

Status BucketFetch::FetchSmall(const std::string& name, const record::ListedObject& object,
                               const Path& file, std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(file, OpenMode::kTruncate, 0644));
  for (int attempt = 1;; ++attempt) {
    std::uint64_t offset = 0;
    const auto write = [&](std::string_view piece) -> Status {
      KINETIC_RETURN_IF_ERROR(fs_.WriteAt(fd.get(), piece, offset));
      offset += piece.size();
      return {};
    };
    const gcs::ReadOptions options{.offset = 0, .length = {}, .generation = object.generation};
    const auto read = client_.Read(name, options, write, stop);
    if (read && !*read) return GenerationMissing(client_, name, object.generation);
    if (read && offset == object.size_bytes) {
      if (on_bytes_) on_bytes_(offset);
      return {};
    }
    const bool damaged = read || read.error().code == ErrorCode::kDataLoss;
    if (!read && (!damaged || attempt == kReadTries)) return Failure(read.error());
    if (attempt == kReadTries) {
      return Fail(ErrorCode::kDataLoss, "gs://" + client_.bucket() + "/" + Printable(name) +
                                            " does not have the length that its listing specifies");
    }
    KINETIC_RETURN_IF_ERROR(fs_.Truncate(fd.get(), 0));
  }
}

Status BucketFetch::FetchObject(const record::DataListing& listing,
                                const record::ListedObject& object, const Path& file,
                                std::stop_token stop) const {
  const std::string name = listing.prefix + object.path;
  if (object.size_bytes <= kSmallBytes) return FetchSmall(name, object, file, std::move(stop));
  const gcs::ParallelDownload download(client_, fs_, {.on_bytes = on_bytes_});
  KINETIC_ASSIGN_OR_RETURN(const auto fetched,
                           download.Fetch(name, object.generation, file, std::move(stop)));
  if (!fetched) return GenerationMissing(client_, name, object.generation);
  return {};
}

Status BucketFetch::Fetch(const record::DataListing& listing, const Path& folder,
                          std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(MakeFolders(fs_, listing, folder));
  std::vector<const record::ListedObject*> small;
  std::vector<const record::ListedObject*> large;
  for (const auto& object : listing.objects) {
    (object.size_bytes <= kSmallBytes ? small : large).push_back(&object);
  }
  const auto fetch = [&](const record::ListedObject& object, std::stop_token stopping) {
    return FetchObject(listing, object, folder / object.path, std::move(stopping));
  };
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(kConnections, small.size(), stop, [&](std::size_t i, std::stop_token stopping) {
        return fetch(*small[i], std::move(stopping));
      }));
  for (const auto* object : large) KINETIC_RETURN_IF_ERROR(fetch(*object, stop));
  return {};
}

}  // namespace kinetic::runner
