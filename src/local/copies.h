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

/// The bytes that a file had when it was opened. It may grow meanwhile. If it shrinks, a store
/// rejects the source with kAborted.
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

/// What StoreCopies stored.
struct StoredCopies {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

/// Stores scanned files and links under new names: `prefix` and EncodeObjectPath of their paths.
///
/// @param folder  that was scanned.
/// @errors  kNotFound (a file was removed meanwhile) · kAborted (a file keeps shrinking) · those of
///          Store and FileSystem.
Result<StoredCopies> StoreCopies(store::Store& store, FileSystem& fs, const Path& folder,
                                 const std::vector<ScannedOutput>& files,
                                 std::pair<std::string, OnCopied> prefix, std::stop_token stop);

/// The links among copied files and folders.
struct LinkSelection {
  std::map<std::string, std::string> links;  ///< targets by path
  std::set<std::string> ignored;             ///< links to folders that are not copied
};

/// Selects the links to create after the files. A link to a file that is not copied is in neither
/// set: it becomes a copy of the file.
LinkSelection SelectLinks(const std::map<std::string, OutputKind>& files);

}  // namespace kinetic::local
