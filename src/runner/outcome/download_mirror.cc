#include "runner/outcome/download_mirror.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "base/transfer/parts_download.h"
#include "local/job_cache.h"
#include "local/output_links.h"
#include "record/object_names.h"
#include "runner/diagnostics.h"
#include "store/age.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>
#include <vector>

/// Before the program: fetching. download_store.cc has the other half.
namespace kinetic::runner {
namespace {

/// Small files are fetched in parallel, larger ones one at a time in parallel parts.
constexpr std::size_t kSmallFileThreads = 16;
/// Older leases are renewed, so that files in use are kept.
constexpr std::chrono::hours kFreshDownload{24 * 6};
const TransferOptions kParts{.part_bytes = 16U << 20, .connections = 8, .on_bytes = {}};

Failure DamagedDownload(const record::DownloadedFile& file, std::string_view problem) {
  return Fail(ErrorCode::kDataLoss, fmt::format("{}: {}", Printable(file.path), problem));
}

}  // namespace

DownloadMirror::DownloadMirror(JobStore::Dependencies deps, Locations locations, Limits limits)
    : deps_(deps), locations_(std::move(locations)), limits_(limits) {}

Status DownloadMirror::Clear() const {
  KINETIC_RETURN_IF_ERROR(RemoveTree(deps_.fs, locations_.folder));
  return local::PrepareJobCache(deps_.fs, deps_.clock, locations_.folder);
}

Result<std::optional<record::Downloads>> DownloadMirror::ReadManifest(const std::stop_token& stop) {
  const std::string name = record::DownloadManifestName(locations_.prefix);
  std::string json;
  const auto append = [&](std::string_view piece) -> Status {
    if (json.size() + piece.size() > store::kSmallObjectBytes)
      return Fail(ErrorCode::kDataLoss, name + ": larger than the limit");
    json += piece;
    return {};
  };
  KINETIC_ASSIGN_OR_RETURN(const auto read, deps_.store.Get(name, {}, append, stop));
  if (!read) return std::optional<record::Downloads>();
  generation_ = read->generation;
  auto downloads = record::DownloadsFromJson(json);
  if (!downloads) return Failure(std::move(downloads).error().Context(name));
  KINETIC_RETURN_IF_ERROR(CheckModelPaths(*downloads));
  for (const auto& file : downloads->files) {
    listed_.insert(record::DownloadName(locations_.prefix, file.content));
  }
  return std::optional(*std::move(downloads));
}

Result<DownloadMirror::Objects> DownloadMirror::ListObjects(const std::stop_token& stop) const {
  Objects objects;
  const auto add = [&](const store::ObjectInfo& object) -> Result<bool> {
    if (object.damage.empty()) objects.emplace(object.name, object);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(deps_.store.List(locations_.prefix, "", add, stop));
  return objects;
}

/// The kubelet evicts a pod that exceeds its disk limit, or whose node has no space. The program
/// needs space too, and may not use the downloads.
Status DownloadMirror::CheckSpace(std::uint64_t bytes) const {
  std::error_code failed;
  const auto space = std::filesystem::space(locations_.folder, failed);
  const bool fits = (failed || bytes <= space.available / 2) &&
                    (!limits_.disk_bytes || bytes <= *limits_.disk_bytes / 2);
  if (fits) return {};
  return Fail(
      ErrorCode::kResourceExhausted,
      fmt::format("they have {}, more than half of the disk of the pod", FormatBytes(bytes)));
}

Status DownloadMirror::FetchFile(const record::DownloadedFile& file,
                                 const store::ObjectInfo& object, FetchProgress::Transfer& transfer,
                                 const std::stop_token& stop) const {
  const Path path = locations_.folder / file.path;
  const Path partial = locations_.folder / (".part-" + file.content.Hex());
  TransferOptions options = kParts;
  options.on_bytes = [&transfer](std::uint64_t bytes) { transfer.Add(bytes); };
  // Files with the same content have the same object.
  const std::string suffix = Sha256::Of(file.path).Hex().substr(0, 16);
  PartsDownload download(deps_.fs,
                         {.name = object.name,
                          .identity = object.name,
                          .size_bytes = file.size_bytes,
                          .crc32c = file.crc32c,
                          .file = path,
                          .partial = Path(partial).concat(suffix),
                          .journal = Path(partial).concat(suffix + ".parts")},
                         options);
  const auto range = [&](std::uint64_t offset, std::uint64_t length, const store::Sink& sink,
                         std::stop_token range_stop) -> Status {
    KINETIC_ASSIGN_OR_RETURN(
        const auto read, deps_.store.Get(object.name, {.offset = offset, .length = length}, sink,
                                         std::move(range_stop)));
    if (read && read->generation == object.generation) return {};
    return DamagedDownload(file, "its object was removed or replaced");
  };
  KINETIC_RETURN_IF_ERROR(download.Fetch(range, stop));
  return deps_.fs.SetMode(path, file.mode);
}

Status DownloadMirror::MakeLinks(const record::Downloads& downloads) const {
  const auto confined = deps_.fs.Confined(locations_.folder);
  KINETIC_RETURN_IF_ERROR(local::CreateOutputLinks(*confined, locations_.folder, downloads.links));
  return {};
}

Status DownloadMirror::FetchAll(const record::Downloads& downloads,
                                FetchProgress::Transfer& transfer, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const Objects objects, ListObjects(stop));
  std::vector<const record::DownloadedFile*> small;
  std::vector<const record::DownloadedFile*> large;
  for (const auto& file : downloads.files) {
    const auto object = objects.find(record::DownloadName(locations_.prefix, file.content));
    if (object == objects.end()) return DamagedDownload(file, "its object is missing");
    if (object->second.size_bytes != file.size_bytes) return DamagedDownload(file, "wrong size");
    KINETIC_RETURN_IF_ERROR(
        MakeDirectories(deps_.fs, (locations_.folder / file.path).parent_path(), 0755));
    (file.size_bytes <= kParts.part_bytes ? small : large).push_back(&file);
  }
  const auto fetch = [&](const record::DownloadedFile& file, const std::stop_token& stopping) {
    const std::string name = record::DownloadName(locations_.prefix, file.content);
    return FetchFile(file, objects.at(name), transfer, stopping);
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(
      kSmallFileThreads, small.size(), stop,
      [&](std::size_t i, const std::stop_token& stopping) { return fetch(*small[i], stopping); }));
  for (const auto* file : large) KINETIC_RETURN_IF_ERROR(fetch(*file, stop));
  KINETIC_RETURN_IF_ERROR(MakeLinks(downloads));
  LogFailure("renewing downloads", Renew(objects, stop));  // the store may be read-only
  return {};
}

/// Renews the leases of the manifest and of the objects that it lists.
Status DownloadMirror::Renew(const Objects& objects, const std::stop_token& stop) const {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, deps_.store.Now(stop));
  std::vector<std::string> due;
  for (const auto& [name, object] : objects) {
    const bool is_used =
        listed_.contains(name) || name == record::DownloadManifestName(locations_.prefix);
    if (is_used && !store::IsFresh(object.lease, now, kFreshDownload)) due.push_back(name);
  }
  return ParallelFor(kSmallFileThreads, due.size(), stop,
                     [&](std::size_t i, const std::stop_token& stopping) -> Status {
                       KINETIC_RETURN_IF_ERROR(deps_.store.Touch(due[i], {}, stopping));
                       return {};
                     });
}

/// Notes the state of the files, from which Finish derives what the program has used.
Status DownloadMirror::Remember(const record::Downloads& downloads) {
  for (const auto& file : downloads.files) {
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status,
                             deps_.fs.Lstat(locations_.folder / file.path));
    KINETIC_ASSIGN_OR_RETURN(const std::int64_t accessed_ns,
                             AccessTime(deps_.fs, locations_.folder / file.path));
    fetched_.insert_or_assign(file.path, FetchedDownload{file, status, accessed_ns});
  }
  links_ = downloads.links;
  return {};
}

Result<std::optional<std::string>> DownloadMirror::Fetch(std::uint32_t attempt,
                                                         FetchProgress& progress,
                                                         const std::stop_token& stop) {
  if (locations_.folder.empty()) return std::nullopt;
  KINETIC_RETURN_IF_ERROR(Clear());
  if (locations_.prefix.empty()) return std::nullopt;
  fetched_.clear();
  links_.clear();
  listed_.clear();
  generation_.reset();
  KINETIC_ASSIGN_OR_RETURN(const auto downloads, ReadManifest(stop));
  if (!downloads || downloads->files.empty()) return std::nullopt;
  // The attempt before may have failed because of them.
  if (attempt > 1) return Fail(ErrorCode::kFailedPrecondition, "only the first attempt uses them");
  const std::uint64_t bytes = downloads->Bytes();
  std::string description = fmt::format("{} of downloads of earlier jobs", FormatBytes(bytes));
  Status fetched = CheckSpace(bytes);
  if (fetched) {
    FetchProgress::Transfer transfer = progress.Begin("fetching " + description);
    transfer.Expect(bytes);
    fetched = FetchAll(*downloads, transfer, stop);
  }
  if (fetched) fetched = Remember(*downloads);
  if (fetched) return description;
  // Libraries do not notice that single files of a model are missing.
  fetched_.clear();
  links_.clear();
  KINETIC_RETURN_IF_ERROR(Clear());
  return Failure(std::move(fetched).error());
}

Status DownloadMirror::Resume(const std::stop_token& stop) {
  if (locations_.folder.empty() || locations_.prefix.empty()) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto manifest,
                           deps_.store.Stat(record::DownloadManifestName(locations_.prefix), stop));
  if (manifest) generation_ = manifest->generation;
  return {};
}

Status DownloadMirror::Open(std::optional<std::uint32_t> user) {
  if (locations_.folder.empty() || locations_.prefix.empty()) return {};
  KINETIC_ASSIGN_OR_RETURN(
      files_, local::ProgramFiles::Open(deps_.fs, locations_.folder.parent_path(), user));
  return {};
}

}  // namespace kinetic::runner
