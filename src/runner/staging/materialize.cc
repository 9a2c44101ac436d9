#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/files/file_lock.h"
#include "base/files/temp_dir.h"
#include "base/strings.h"
#include "local/data_cache.h"
#include "native/protocol.h"
#include "record/data_set.h"
#include "record/object_names.h"
#include "runner/diagnostics.h"
#include "runner/program/command.h"
#include "runner/staging/fetch.h"
#include "runner/staging/job_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::chrono::days kKeepPrograms{7};
constexpr std::uint64_t kMaxListBytes = 4U << 20;

/// Moves the content of a folder into another one that may already have some of its folders.
Status MergeInto(FileSystem& fs, const Path& from, const Path& to) {
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory(from));
  for (const auto& entry : entries) {
    const auto existing = fs.Lstat(to / entry.name);
    const bool both =
        entry.type == FileType::kDirectory && existing && existing->type == FileType::kDirectory;
    KINETIC_RETURN_IF_ERROR(both ? MergeInto(fs, from / entry.name, to / entry.name)
                                 : fs.Rename(from / entry.name, to / entry.name));
  }
  return {};
}

/// Returns whether the files of a program are as they were unpacked.
bool IsIntact(FileSystem& fs, const Path& list, const Path& folder) {
  const auto text = ReadFile(fs, list, kMaxListBytes);
  const auto entries = text ? local::ParseDataEntries(*text)
                            : Result<std::vector<local::DataEntry>>(Failure(text.error()));
  return entries && std::ranges::all_of(*entries, [&](const local::DataEntry& entry) {
           const auto now = fs.Lstat(entry.path.empty() ? folder : folder / entry.path);
           return now && now->type == entry.status.type &&
                  (now->type != FileType::kRegular || (now->size_bytes == entry.status.size_bytes &&
                                                       now->mtime_ns == entry.status.mtime_ns));
         });
}

/// Returns "; 2 data sets from the cache", or an empty string.
std::string DescribeSets(std::uint64_t count, std::string_view where) {
  if (count == 0) return {};
  return fmt::format("; {} data {} {}", count, count == 1 ? "set" : "sets", where);
}

/// Returns how to wait for another job that downloads or copies the same content, with progress.
LockWait ReportedWait(FetchProgress& progress, const std::stop_token& stop) {
  const auto shown = std::make_shared<std::optional<FetchProgress::Transfer>>();
  const auto on_wait = [&progress, shown](const std::string& reason) {
    shown->reset();
    if (!reason.empty()) shown->emplace(progress.Begin("waiting: " + reason));
  };
  return {.stop = stop, .limit = kLongLockLimit, .on_wait = on_wait};
}

}  // namespace

Status JobStore::MakeFolders() {
  for (const Path& folder : {runtime_.Work(), runtime_.Home(), runtime_.Temporary(),
                             runtime_.Output(), runtime_.Exchange(), runtime_.Data()}) {
    if (options_.mounted && folder == runtime_.Data()) {
      KINETIC_RETURN_IF_ERROR(ClearData(folder));
    } else {
      KINETIC_RETURN_IF_ERROR(RemoveTree(deps_.fs, folder));
    }
    KINETIC_RETURN_IF_ERROR(MakeDirectories(deps_.fs, folder, 0700));
  }
  return {};
}

/// Empties a folder but keeps the folders of datasets: a mount refers to the original folder.
Status JobStore::ClearData(const Path& folder) {
  const auto entries = deps_.fs.ReadDirectory(folder);
  if (!entries && entries.error().code == ErrorCode::kNotFound) return {};
  KINETIC_RETURN_IF_ERROR(entries);
  for (const auto& entry : *entries) {
    const Path path = folder / entry.name;
    bool contains_data = false;
    for (const auto& [data_path, source] : record_.spec.data) {
      const auto relative = DataPath(runtime_, data_path).lexically_relative(path);
      contains_data = contains_data || (!relative.empty() && *relative.begin() != "..");
    }
    KINETIC_RETURN_IF_ERROR(contains_data && entry.type == FileType::kDirectory
                                ? ClearData(path)
                                : RemoveTree(deps_.fs, path));
  }
  return {};
}

/// Fails early: the kubelet would evict a pod that exceeds its disk limit.
Status JobStore::CheckDiskLimit(std::uint64_t bytes) const {
  if (!options_.disk_bytes || bytes <= *options_.disk_bytes) return {};
  return Fail(
      ErrorCode::kResourceExhausted,
      fmt::format("the job's files, packages and data need {}, but resources.disk is {}",
                  FormatBytes(bytes), FormatBytes(*options_.disk_bytes)),
      "set 'resources: {disk: …}' to that size plus the size of the files that the job writes");
}

/// Fetches the bundle with data and the packages in parallel; returns a description of the
/// packages.
Result<std::string> JobStore::MaterializeAll(Totals& totals,
                                             const record::PodEnvironment* environment,
                                             std::stop_token stop) {
  const Path& folder = options_.environment;
  const bool complete = environment != nullptr && HasEnvironment(deps_.fs, *environment, folder);
  std::string packages = complete ? "; packages already unpacked" : "";
  std::optional<FetchProgress::Transfer> transfer;
  if (environment != nullptr && !complete) {
    transfer.emplace(totals.progress->Begin("fetching the environment"));
  }
  const auto materialize = [&](std::size_t part, const std::stop_token& stopping) -> Status {
    if (part == 0) return MaterializeBundle(totals, stopping);
    KINETIC_ASSIGN_OR_RETURN(
        const auto report,
        FetchEnvironment(deps_.store, deps_.fs, *environment, folder, *transfer, stopping));
    packages = fmt::format("; packages: {}", FormatFiles(report.files, report.content_bytes));
    transfer.reset();
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(2, transfer ? 2 : 1, std::move(stop), materialize));
  return packages;
}

Result<std::string> JobStore::Materialize(FetchProgress& progress, std::stop_token stop) {
  const record::PodEnvironment* environment =
      record_.environment && !options_.environment.empty() ? &*record_.environment : nullptr;
  const bool on_disk = environment != nullptr && !IsInMemory(options_.environment.parent_path());
  const std::uint64_t packed_bytes = on_disk ? environment->bytes : 0;
  std::uint64_t listed_bytes = 0;
  for (const auto& [path, listed] : record_.listed_data) listed_bytes += listed.bytes;
  KINETIC_RETURN_IF_ERROR(CheckDiskLimit(packed_bytes + listed_bytes));
  Totals totals{.progress = &progress};
  auto packages = MaterializeAll(totals, environment, std::move(stop));
  if (!packages) {
    Error error = std::move(packages).error();
    if (IsDiskFull(error) && options_.mounted) {
      error.hint = "set 'resources: {disk: …}' to request a node with enough free disk space";
    }
    return Failure(std::move(error));
  }
  KINETIC_RETURN_IF_ERROR(CheckDiskLimit(packed_bytes + totals.bytes));
  return FormatFiles(totals.files, totals.bytes) + DescribeSets(totals.cached, "from the cache") +
         DescribeSets(totals.in_place, "in place") + *packages;
}

Status JobStore::MaterializeBundle(Totals& totals, const std::stop_token& stop) {
  {
    FetchProgress::Transfer transfer = totals.progress->Begin("fetching the bundle");
    KINETIC_RETURN_IF_ERROR(MakeFolders());
    KINETIC_ASSIGN_OR_RETURN(const auto report,
                             FetchTree(deps_.store, {deps_.fs, runtime_.Work()},
                                       {record_.tree, SourceOf("")}, transfer, stop));
    totals.files += report.files;
    totals.bytes += report.content_bytes;
  }
  return MaterializeData(totals, stop);
}

Status JobStore::MaterializeData(Totals& totals, const std::stop_token& stop) {
  for (const auto& [path, data] : record_.data) {
    if (path == native::kProgramFolder && !options_.state_dir.empty()) {
      KINETIC_RETURN_IF_ERROR(MaterializeProgram(data, totals, stop));
      continue;
    }
    if (options_.read_in_place && options_.read_in_place(path, data, stop)) {
      ++totals.in_place;
      continue;
    }
    const Path destination = DataPath(runtime_, path);
    const auto fill = [&](const Path& target) {
      FetchProgress::Transfer transfer = totals.progress->Begin("fetching " + path);
      return MaterializeTree(path, target, totals, transfer, stop);
    };
    // Files of this machine are copied without the cache, whose content is verified by hash.
    if (SourceOf(path) != nullptr) {
      KINETIC_RETURN_IF_ERROR(MakeDirectories(deps_.fs, destination.parent_path(), 0755));
      KINETIC_RETURN_IF_ERROR(fill(destination));
      continue;
    }
    const std::string kind = data.file ? "file-" : "tree-";
    KINETIC_RETURN_IF_ERROR(FillFromCache(kind + data.tree.Hex(), destination, fill, totals, stop));
  }
  for (const auto& [path, data] : record_.listed_data) {
    const Path destination = DataPath(runtime_, path);
    const auto fill = [&](const Path& target) {
      FetchProgress::Transfer transfer = totals.progress->Begin("fetching " + path);
      return MaterializeListing(data, target, totals, transfer, stop);
    };
    KINETIC_RETURN_IF_ERROR(
        FillFromCache("listing-" + data.listing.Hex(), destination, fill, totals, stop));
  }
  return {};
}

/// Unpacks the program of a C++ function unless an earlier job did and its files are unchanged.
/// Removes programs that no job has used for a week.
Status JobStore::MaterializeProgram(const record::DataTree& program, Totals& totals,
                                    const std::stop_token& stop) {
  const Path folder = NativeProgramFolder(record_, runtime_, options_.state_dir);
  const Path programs = folder.parent_path();
  const Path list = programs / (program.tree.Hex() + ".entries");
  if (IsIntact(deps_.fs, list, folder)) {
    KINETIC_RETURN_IF_ERROR(deps_.fs.SetModifiedTime(list, deps_.clock.Now()));
    return deps_.fs.SetModifiedTime(folder, deps_.clock.Now());
  }
  KINETIC_RETURN_IF_ERROR(MakeDirectories(deps_.fs, programs, 0700));
  KINETIC_ASSIGN_OR_RETURN(
      const FileLock lock,
      FileLock::Acquire(deps_.fs, programs / "lock", ReportedWait(*totals.progress, stop)));
  if (IsIntact(deps_.fs, list, folder)) return {};
  KINETIC_RETURN_IF_ERROR(RemoveOlderThan(deps_.fs, programs, deps_.clock.Now() - kKeepPrograms));
  KINETIC_RETURN_IF_ERROR(RemoveTree(deps_.fs, folder));
  KINETIC_ASSIGN_OR_RETURN(const TempDir draft, TempDir::Make(deps_.fs, programs, ".program-"));
  const Path unpacked = draft.path() / native::kProgramName;
  FetchProgress::Transfer transfer = totals.progress->Begin("fetching the program");
  KINETIC_ASSIGN_OR_RETURN(const auto report, FetchTree(deps_.store, {deps_.fs, unpacked},
                                                        {program.tree}, transfer, stop));
  totals.files += report.files;
  totals.bytes += report.content_bytes;
  KINETIC_ASSIGN_OR_RETURN(const auto entries, local::ScanData(deps_.fs, unpacked));
  KINETIC_RETURN_IF_ERROR(
      WriteFileAtomically(deps_.fs, list, local::FormatDataEntries(entries), 0600));
  return deps_.fs.Rename(unpacked, folder);
}

/// Falls back to fetching without the cache if the cache fails.
Status JobStore::FillFromCache(const std::string& key, const Path& path, const Fill& fill,
                               Totals& totals, const std::stop_token& stop) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(deps_.fs, path.parent_path(), 0755));
  if (options_.data_cache.empty()) return fill(path);
  const local::DataCache cache(deps_.fs, deps_.clock, options_.data_cache);
  // Missing or damaged data cannot be fetched without the cache either; a full cache disk is
  // different.
  bool data_failed = false;
  const auto observed = [&](const Path& target) {
    auto result = fill(target);
    data_failed = !result && (result.error().code == ErrorCode::kNotFound ||
                              result.error().code == ErrorCode::kDataLoss);
    return result;
  };
  const auto provided = cache.Provide(key, path, observed, ReportedWait(*totals.progress, stop));
  if (provided) {
    if (*provided) ++totals.cached;
    return {};
  }
  if (data_failed || stop.stop_requested()) return Failure(provided.error());
  LogFailure("caching data", Failure(provided.error()));
  KINETIC_RETURN_IF_ERROR(RemoveTree(deps_.fs, path));
  return fill(path);
}

const local::StoredSource* JobStore::SourceOf(const std::string& path) const {
  const auto source = options_.sources.find(path);
  return source == options_.sources.end() ? nullptr : &source->second;
}

/// Unpacks a data tree. A mounted folder may contain the empty folders of other datasets.
Status JobStore::UnpackTo(const Path& path, const TreeContent& content, Totals& totals,
                          FetchProgress::Transfer& transfer, const std::stop_token& stop) {
  const auto unpack = [&](const Path& folder) -> Status {
    KINETIC_ASSIGN_OR_RETURN(const auto report,
                             FetchTree(deps_.store, {deps_.fs, folder}, content, transfer, stop));
    totals.files += report.files;
    totals.bytes += report.content_bytes;
    return {};
  };
  const auto entries = deps_.fs.ReadDirectory(path);
  if (!options_.mounted || !entries || entries->empty()) return unpack(path);
  KINETIC_ASSIGN_OR_RETURN(const TempDir draft, TempDir::Make(deps_.fs, runtime_.folder, ".data-"));
  KINETIC_RETURN_IF_ERROR(unpack(draft.path()));
  return MergeInto(deps_.fs, draft.path(), path);
}

Status JobStore::MaterializeTree(const std::string& data_path, const Path& path, Totals& totals,
                                 FetchProgress::Transfer& transfer, const std::stop_token& stop) {
  const record::DataTree& data = record_.data.at(data_path);
  const TreeContent content{data.tree, SourceOf(data_path)};
  if (!data.file) return UnpackTo(path, content, totals, transfer, stop);
  // A tree with a single file is unpacked in the parent folder and then moved.
  KINETIC_ASSIGN_OR_RETURN(const TempDir draft,
                           TempDir::Make(deps_.fs, path.parent_path(), ".data-"));
  KINETIC_RETURN_IF_ERROR(UnpackTo(draft.path(), content, totals, transfer, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto entries, deps_.fs.ReadDirectory(draft.path()));
  if (entries.size() != 1 || entries[0].type != FileType::kRegular) {
    return Fail(ErrorCode::kDataLoss,
                fmt::format("the data tree {} does not contain exactly one file", data.tree.Hex()));
  }
  return deps_.fs.Rename(draft.path() / entries[0].name, path);
}

Status JobStore::MaterializeListing(const record::ListedData& data, const Path& path,
                                    Totals& totals, FetchProgress::Transfer& transfer,
                                    const std::stop_token& stop) {
  const std::string name = record::DataListingName(record_.id, record_.nonce, data.listing);
  KINETIC_ASSIGN_OR_RETURN(const auto json,
                           store::GetBytes(deps_.store, name, stop, record::kListingBytes));
  if (!json) return Missing(name);
  if (Sha256::Of(*json) != data.listing) {
    return Fail(ErrorCode::kDataLoss, name + " does not match the digest in its name");
  }
  KINETIC_ASSIGN_OR_RETURN(const auto listing, record::DataListingFromJson(*json));
  if (deps_.cloud == nullptr) {
    return Fail(ErrorCode::kFailedPrecondition, "this runner cannot access gs://" + listing.bucket);
  }
  KINETIC_ASSIGN_OR_RETURN(const auto connection, deps_.cloud->Connect(stop));
  gcs::ClientOptions options = deps_.cloud->GcsOptions();
  options.retry.limit = nullptr;  // this client is not below a RetryingStore
  const gcs::Client client(*connection, deps_.clock, listing.bucket, options);
  transfer.Expect(data.bytes);
  const BucketFetch fetch(client, deps_.fs, [&](std::uint64_t bytes) { transfer.Add(bytes); });
  totals.files += data.objects;
  totals.bytes += data.bytes;
  if (!data.file) return fetch.Fetch(listing, path, stop);
  if (listing.objects.size() != 1) {
    return Fail(ErrorCode::kDataLoss, name + " does not list exactly one object");
  }
  return fetch.FetchObject(listing, listing.objects[0], path, stop);
}

}  // namespace kinetic::runner
