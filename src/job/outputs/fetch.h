#pragma once

#include "kinetic/client.h"
#include "kinetic/job.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/transfer/parts_download.h"
#include "job/context.h"
#include "local/outputs.h"
#include "store/object_store.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Returns the current or future location of a job's output files.
std::string OutputLocation(const Context& context, std::string_view id);

/// Lists the stored output files, by path.
Result<std::vector<OutputFile>> ListOutputs(Context& context, std::string_view id,
                                            std::stop_token stop);

/// Implements Job::FetchOutputs: copies the output files to a folder.
Result<FetchReport> FetchOutputs(Context& context, std::string_view id, const FetchOptions& options,
                                 std::stop_token stop);

/// A stored file and its path in a folder.
struct StoredFile {
  store::ObjectInfo object;
  std::string path;
  local::OutputKind kind;
};

/// Lists the files that are stored below a prefix, in the format of outputs.
Result<std::vector<StoredFile>> ListStoredFiles(store::Store& store, const std::string& prefix,
                                                const std::stop_token& stop);

/// How a download treats a local file with the name of a stored one.
enum class ExistingFile : std::uint8_t {
  kKeepEqual,         ///< an equal file is kept; another is an error
  kReplaceDifferent,  ///< an equal file is kept; another is replaced
  kReplace,           ///< always replaced; a download that fails is not resumed
};

struct FileDownload {
  Path folder;                   ///< the destination, which exists
  std::string what = "outputs";  ///< for the observer
  Observer* observer = nullptr;  ///< may be null
  ExistingFile existing = ExistingFile::kKeepEqual;
};

/// Creates the folder for fetched files. A new one gets an ignore file, unless one is among them, so
/// that they do not become part of the next bundle.
Status CreateFetchedFolder(FileSystem& fs, const Path& folder,
                           const std::vector<StoredFile>& wanted);

/// Copies stored files to a folder, with their execute bits and links.
Result<FetchReport> DownloadFiles(Context& context, const FileDownload& options,
                                  std::vector<StoredFile> files, const std::stop_token& stop);

/// Implements Client::RemoveOutputs, without the check of the job's state.
Result<RemovedOutputs> RemoveOutputs(Context& context, std::string_view id,
                                     const std::vector<std::string>& paths, std::stop_token stop);

/// Downloads one object to a file. Large objects are fetched in parallel ranges. Partial data is
/// kept next to the file, under a name derived from the object's name and generation, so that an
/// interrupted download resumes. The file gets its final name when it is complete.
///
/// @threads  one thread at a time.
class ObjectDownload {
 public:
  /// @param parts  on_bytes is not called.
  ObjectDownload(store::Store& store, FileSystem& fs, store::ObjectInfo object, Path file,
                 TransferOptions parts = {});

  /// Returns whether the file exists and matches the object in size and checksum. If the store keeps
  /// no checksum, the contents are compared.
  Result<bool> IsComplete();

  /// Returns the number of bytes that an earlier download left to fetch.
  Result<std::uint64_t> RemainingBytes() const;

  /// Returns whether the object is fetched over several connections.
  bool IsLarge() const { return object_.size_bytes > parts_.part_bytes; }

  /// Fetches the remaining bytes. Retries once if the data is corrupt.
  ///
  /// @param on_bytes  called for each piece, from several threads.
  /// @errors  kAborted (the object was replaced during the download) · kDataLoss (the data does not
  ///          match the store's checksum). Both discard the fetched data · errors of Store and
  ///          FileSystem.
  Status Fetch(const std::function<void(std::uint64_t bytes)>& on_bytes, std::stop_token stop);

  /// Removes what an incomplete download left.
  Status Discard() { return Download({}).Discard(); }

 private:
  Result<bool> HasContentOf(int fd);
  PartsDownload Download(const std::function<void(std::uint64_t bytes)>& on_bytes) const;

  store::Store& store_;
  FileSystem& fs_;
  const store::ObjectInfo object_;
  const Path file_;
  const TransferOptions parts_;
};

}  // namespace kinetic::job
