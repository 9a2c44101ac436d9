#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "store/object_store.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::local {

/// A file of an output folder.
struct ScannedOutput {
  std::string path;   ///< relative to the folder; bytes
  FileStatus status;  ///< of the link's target if it is a link

  /// Returns whether both scans saw the same content, judging by size, times and inode.
  bool IsSame(const ScannedOutput& other) const;
};

struct OutputScan {
  std::vector<ScannedOutput> files;  ///< by path, folder by folder
  std::vector<std::string> skipped;  ///< "a/link: points outside the output folder"
  std::optional<Error> failure;      ///< a folder or file that cannot be read
};

/// Lists the files of an output folder to store. Links to files inside the folder count as these
/// files. Other links, sockets, devices and empty folders are skipped. An absent folder is empty.
///
/// @errors  kCancelled.
Result<OutputScan> ScanOutputs(FileSystem& fs, const Path& folder, std::stop_token stop);

/// Returns the object name for a path in an output folder. Bytes that object names cannot contain
/// become %XX.
std::string EncodeObjectPath(std::string_view path);

/// Reverses EncodeObjectPath. Escapes that EncodeObjectPath does not write stay unchanged, so that
/// the path cannot leave the folder.
std::string DecodeObjectPath(std::string_view object_path);

struct OutputReport {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string> skipped;  ///< "a/link: points outside the output folder"
  std::optional<Error> failure;      ///< of a file that cannot be stored; the others are
};

/// Stores the files that ScanOutputs returns as outputs/{id}/{EncodeObjectPath}. Replaces existing
/// objects.
///
/// @errors  store::IsStoreUnavailable · kCancelled.
Result<OutputReport> StoreOutputs(store::Store& store, FileSystem& fs, const Path& folder,
                                  std::string_view id, std::stop_token stop);

/// Streams a file into an object, which it creates or replaces. Retries if the file changes while
/// it is read.
///
/// @param known  the current object, if known; saves a request.
Result<store::ObjectInfo> StoreFile(store::Store& store, FileSystem& fs, const Path& file,
                                    std::string_view name,
                                    const std::optional<store::ObjectInfo>& known,
                                    std::stop_token stop);

/// Returns whether the other files can still be stored after this error.
bool IsSingleFileError(const Error& error);

/// A function's return value as result.json contains it.
struct CollectedValue {
  std::optional<Value> inline_value;  ///< if it is small
  Digest digest;                      ///< of value.json
};

/// Stores exchange/value.json and its arrays as the value of one attempt.
///
/// @errors  kNotFound (no value) · kDataLoss (an array does not match its digest) · those of Store
///          and FileSystem.
Result<CollectedValue> StoreValue(store::Store& store, FileSystem& fs, const Path& exchange,
                                  std::string_view id, std::uint32_t attempt, std::stop_token stop);

}  // namespace kinetic::local
