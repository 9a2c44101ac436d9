#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "local/outputs.h"
#include "store/object_store.h"
#include "store/source.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// Files on their way between a client and a running job. Both sides store them like outputs.
namespace kinetic::local {

/// Called with the number of bytes that were copied in addition; from several threads.
using OnCopied = std::function<void(std::uint64_t bytes)>;

/// The bytes that a file had when it was opened. It may grow meanwhile. If it becomes shorter, a
/// store rejects the source with kAborted.
class GrowingFile final : public store::Source {
 public:
  static Result<std::unique_ptr<GrowingFile>> Open(FileSystem& fs, const Path& path,
                                                   OnCopied on_copied);
  std::uint64_t size_bytes() const override { return size_bytes_; }
  Status Rewind() override;
  Result<std::string_view> Next() override;

 private:
  GrowingFile(FileSystem& fs, UniqueFd fd, std::uint64_t size_bytes, OnCopied on_copied);

  FileSystem& fs_;
  const UniqueFd fd_;
  const std::uint64_t size_bytes_;
  const OnCopied on_copied_;
  std::uint64_t offset_ = 0;
  std::uint64_t reported_ = 0;
  std::vector<char> buffer_;
};

/// Moves the failure of a scan to the skipped entries, unless nothing else was found.
Status SkipFailure(OutputScan& scan);

/// The files of a copy in their folder.
struct CopySource {
  FileSystem& fs;
  const Path& folder;
  const std::vector<ScannedOutput>& files;  ///< relative to `folder`
  bool is_folder = false;                   ///< false: one file was requested
};

/// Where StoreCopies stores them: under `prefix` and EncodeObjectPath of their paths.
struct CopyTarget {
  std::string prefix;
  OnCopied on_copied;
};

struct StoredCopies {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> skipped;  ///< "a/tmp: opening …: No such file or directory"
};

/// Stores scanned files and links. In a folder, skips a file that cannot be stored, because the
/// program may have removed or replaced it.
///
/// @errors  store::IsStoreUnavailable · kCancelled · for a single file, all of Store and
///          FileSystem.
Result<StoredCopies> StoreCopies(store::Store& store, const CopySource& source,
                                 const CopyTarget& target, std::stop_token stop);

/// The links among copied files and folders.
struct LinkSelection {
  std::map<std::string, std::string> links;  ///< targets by path
  std::set<std::string> ignored;             ///< links to folders that are not copied
};

/// Selects the links to create after the files. A link to a file that is not copied is in neither
/// set: it becomes a copy of the file.
LinkSelection SelectLinks(const std::map<std::string, OutputKind>& files);

}  // namespace kinetic::local
