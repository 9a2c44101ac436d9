#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/hash/concurrent_sha256.h"
#include "base/hash/crc32c.h"
#include "base/strings.h"
#include "record/object_names.h"
#include "runner/diagnostics.h"
#include "runner/outcome/download_mirror.h"
#include "store/source.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

/// After the program: storing.
namespace kinetic::runner {
namespace {

constexpr std::size_t kUploadThreads = 8;
constexpr std::uint32_t kAllPermissions = 0777;
constexpr std::string_view kReplaced = "downloads: another job has stored its own meanwhile";

}  // namespace

/// Returns whether the mirror has exactly these files already.
bool DownloadMirror::IsStored(const DownloadSelection& selected) const {
  if (selected.files.size() != fetched_.size() || selected.links.size() != links_.size())
    return false;
  for (const FoundDownload& found : selected.files) {
    const auto before = fetched_.find(found.path);
    if (before == fetched_.end() || !before->second.IsSame(found.status)) return false;
  }
  for (const FoundDownload& found : selected.links) {
    const auto before = links_.find(found.path);
    if (before == links_.end() || before->second != found.target) return false;
  }
  return true;
}

/// Stores the content of a file unless the store has it.
Result<record::DownloadedFile> DownloadMirror::StoreFile(const FoundDownload& found,
                                                         const Objects& objects,
                                                         const std::stop_token& stop) const {
  const auto before = fetched_.find(found.path);
  if (before != fetched_.end() && before->second.IsSame(found.status)) return before->second.file;
  KINETIC_ASSIGN_OR_RETURN(auto source,
                           store::FileSource::Open(files_->fs(), locations_.folder / found.path));
  ConcurrentSha256 content;
  Crc32c checksum;
  for (;;) {
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
    KINETIC_ASSIGN_OR_RETURN(const std::string_view piece, source.Next());
    if (piece.empty()) break;
    content.Update(piece);
    checksum.Update(piece);
  }
  record::DownloadedFile file{.path = found.path,
                              .mode = found.status.mode & kAllPermissions,
                              .size_bytes = source.size_bytes(),
                              .crc32c = checksum.Base64(),
                              .content = content.Finish()};
  const std::string name = record::DownloadName(locations_.prefix, file.content);
  const auto has_content = [&](const store::ObjectInfo& object) {
    return object.size_bytes == file.size_bytes &&
           (object.crc32c.empty() || object.crc32c == file.crc32c);
  };
  const auto known = objects.find(name);
  if (known != objects.end() && has_content(known->second)) {
    KINETIC_RETURN_IF_ERROR(deps_.store.Touch(name, {}, stop));  // an old call may have stored it
    return file;
  }
  const auto precondition = known == objects.end()
                                ? store::Precondition::Absent()
                                : store::Precondition::Generation(known->second.generation);
  KINETIC_RETURN_IF_ERROR(source.Rewind());
  const store::PutOptions options{.metadata = {}, .lease = {}, .any_creator = true};
  KINETIC_ASSIGN_OR_RETURN(const auto put,
                           deps_.store.Put(name, source, precondition, options, stop));
  if (!put || has_content(*put)) return file;
  KINETIC_RETURN_IF_ERROR(deps_.store.RemoveIfUnchanged(*put, stop));
  return Fail(ErrorCode::kAborted, Printable(found.path) + " changed while it was stored");
}

Result<record::Downloads> DownloadMirror::StoreAll(const DownloadSelection& selected,
                                                   const Objects& objects,
                                                   const std::stop_token& stop) const {
  record::Downloads downloads;
  downloads.files.resize(selected.files.size());
  const auto store_one = [&](std::size_t i, const std::stop_token& stopping) -> Status {
    KINETIC_ASSIGN_OR_RETURN(downloads.files[i], StoreFile(selected.files[i], objects, stopping));
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ParallelFor(kUploadThreads, selected.files.size(), stop, store_one));
  for (const FoundDownload& link : selected.links) downloads.links.emplace(link.path, link.target);
  return downloads;
}

/// Removes the objects of the manifest before this one. Objects that it does not list may be those of
/// a job that is storing its own.
Status DownloadMirror::RemoveDropped(const record::Downloads& kept, const Objects& objects,
                                     const std::stop_token& stop) const {
  std::set<std::string> needed;
  for (const auto& file : kept.files) {
    needed.insert(record::DownloadName(locations_.prefix, file.content));
  }
  std::vector<store::ObjectInfo> dropped;
  for (const std::string& name : listed_) {
    const auto object = objects.find(name);
    if (object != objects.end() && !needed.contains(name)) dropped.push_back(object->second);
  }
  if (dropped.empty()) return {};
  KINETIC_RETURN_IF_ERROR(deps_.store.RemoveAll(dropped, stop));
  return {};
}

Status DownloadMirror::Finish(const std::stop_token& stop) {
  if (!files_) return {};  // the program has not run, or there is no mirror
  KINETIC_ASSIGN_OR_RETURN(
      const DownloadSelection selected,
      SelectDownloads(*files_, locations_.folder, fetched_, limits_.stored, stop));
  if (selected.files.empty() || IsStored(selected)) return {};
  KINETIC_ASSIGN_OR_RETURN(const Objects objects, ListObjects(stop));
  const auto manifest = objects.find(record::DownloadManifestName(locations_.prefix));
  const auto current =
      manifest == objects.end() ? std::nullopt : std::optional(manifest->second.generation);
  if (current != generation_) {
    LogDiagnostic(kReplaced);
    return {};
  }
  KINETIC_ASSIGN_OR_RETURN(const record::Downloads downloads, StoreAll(selected, objects, stop));
  const std::string json = record::ToJson(downloads);
  if (json.size() > store::kSmallObjectBytes)
    return Fail(ErrorCode::kResourceExhausted, "the list of the files is too large");
  const auto precondition =
      generation_ ? store::Precondition::Generation(*generation_) : store::Precondition::Absent();
  KINETIC_ASSIGN_OR_RETURN(
      const auto put, store::PutBytes(deps_.store, record::DownloadManifestName(locations_.prefix),
                                      json, precondition, stop));
  if (!put) {
    LogDiagnostic(kReplaced);
    return {};
  }
  LogDiagnostic(
      fmt::format("stored {} of downloads for later jobs", FormatBytes(downloads.Bytes())));
  return RemoveDropped(downloads, objects, stop);
}

}  // namespace kinetic::runner
