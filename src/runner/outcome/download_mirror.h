#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "record/downloads.h"
#include "runner/outcome/downloaded_files.h"
#include "runner/staging/fetch_progress.h"
#include "runner/staging/job_store.h"
#include "store/object_store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

namespace kinetic::runner {

/// The models that a pod's program downloads, and a mirror of them in the store for
/// later jobs of the same user and name: docs/reference/runner.md, "Downloads". They are fetched
/// before the program starts, and stored after its outcome. Failures only make a job slower.
///
/// @threads  one thread at a time.
class DownloadMirror {
 public:
  struct Locations {
    Path folder;         ///< that the variables of local::AddJobCache name; empty: no downloads
    std::string prefix;  ///< of the objects, "downloads/{key}/"; empty: no mirror
  };
  struct Limits {
    DownloadSelection::Limits stored = {};
    std::optional<std::uint64_t> disk_bytes = {};  ///< more than half is not fetched
  };

  DownloadMirror(JobStore::Dependencies deps, Locations locations, Limits limits);

  /// Empties the folder and fills it with the stored files. Returns a description, or nullopt if
  /// there are none. After an error, the folder has no files.
  ///
  /// @errors  kDataLoss (a file is missing or damaged) · kResourceExhausted · kFailedPrecondition
  ///          (not the first attempt) · those of Store and FileSystem.
  Result<std::optional<std::string>> Fetch(std::uint32_t attempt, FetchProgress& progress,
                                           const std::stop_token& stop);

  /// Resumes with a program that already runs; the folder stays as it is.
  Status Resume(const std::stop_token& stop);

  /// Opens the folder for Finish. Call before the program runs.
  /// @param user  as in ProgramFiles::Open.
  Status Open(std::optional<std::uint32_t> user);

  /// Stores what the program has left, for later jobs. Call after the program has ended by itself: a
  /// killed one may leave incomplete files. Content that an interrupted call has stored is not sent
  /// again.
  Status Finish(const std::stop_token& stop);

 private:
  using Objects = std::map<std::string, store::ObjectInfo>;  ///< by name

  Status Clear() const;
  Result<std::optional<record::Downloads>> ReadManifest(const std::stop_token& stop);
  Result<Objects> ListObjects(const std::stop_token& stop) const;
  Status CheckSpace(std::uint64_t bytes) const;
  Status FetchAll(const record::Downloads& downloads, FetchProgress::Transfer& transfer,
                  const std::stop_token& stop);
  Status FetchFile(const record::DownloadedFile& file, const store::ObjectInfo& object,
                   FetchProgress::Transfer& transfer, const std::stop_token& stop) const;
  Status MakeLinks(const record::Downloads& downloads) const;
  Status Renew(const Objects& objects, const std::stop_token& stop) const;
  Status Remember(const record::Downloads& downloads);
  bool IsStored(const DownloadSelection& selected) const;
  Result<record::DownloadedFile> StoreFile(const FoundDownload& found, const Objects& objects,
                                           const std::stop_token& stop) const;
  Result<record::Downloads> StoreAll(const DownloadSelection& selected, const Objects& objects,
                                     const std::stop_token& stop) const;
  Status RemoveDropped(const record::Downloads& kept, const Objects& objects,
                       const std::stop_token& stop) const;

  JobStore::Dependencies deps_;
  const Locations locations_;
  const Limits limits_;
  std::optional<local::ProgramFiles> files_;
  FetchedDownloads fetched_;
  std::map<std::string, std::string> links_;  ///< fetched ones: targets by path
  std::set<std::string> listed_;              ///< the objects of the manifest that was read
  std::optional<std::int64_t> generation_;    ///< of that manifest
};

}  // namespace kinetic::runner
