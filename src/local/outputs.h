#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "local/program_files.h"
#include "record/run_key.h"
#include "store/object_store.h"
#include "store/source.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::local {

/// A file of an output folder.
struct ScannedOutput {
  std::string path;         ///< relative to the folder; bytes
  FileStatus status;        ///< of the link's destination if it is a link
  std::string destination;  ///< of a link: relative to the folder; otherwise empty

  bool IsLink() const { return !destination.empty(); }
  /// Returns the path of the content, which is no link.
  const std::string& content() const { return IsLink() ? destination : path; }
  /// Returns whether both scans saw the same content, judging by size, times and inode.
  bool IsSame(const ScannedOutput& other) const;
};

struct OutputScan {
  std::vector<ScannedOutput> files;  ///< by path, folder by folder
  std::vector<std::string> skipped;  ///< "a/link: points outside the output folder"
  std::optional<Error> failure;      ///< a folder or file that cannot be read
};

/// Lists the files of an output folder to store, and the links to files and folders inside of it.
/// Other links, sockets, devices, empty folders and what the program may not read are skipped. An
/// absent folder is empty; one that is a link fails.
///
/// @param name  of the folder, for messages about links.
/// @errors  kCancelled.
Result<OutputScan> ScanOutputs(const ProgramFiles& files, const Path& folder, std::stop_token stop,
                               std::string_view name = "output folder");

/// Returns the object name for a path in an output folder. Bytes that object names cannot contain
/// become %XX.
std::string EncodeObjectPath(std::string_view path);

/// Reverses EncodeObjectPath. Escapes that EncodeObjectPath does not write stay unchanged, so that
/// the path cannot leave the folder.
std::string DecodeObjectPath(std::string_view object_path);

/// Moves the files whose names the store cannot hold from `files` to `skipped`.
///
/// @errors  those of Store.
Status SkipUnstorable(store::Store& store, std::string_view id, OutputScan& scan,
                      const std::stop_token& stop);

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
Result<OutputReport> StoreOutputs(store::Store& store, const ProgramFiles& files,
                                  const Path& folder, std::string_view id, std::stop_token stop);

/// The output folder of a job. The members must outlive this object.
struct OutputFolder {
  const ProgramFiles& files;
  const Path& path;
  std::string_view job_id;
};

/// Stores one scanned file or link with its metadata. See StoreFile.
///
/// @param known  the current object, if known; saves a request.
Result<store::ObjectInfo> StoreOutput(store::Store& store, const OutputFolder& folder,
                                      const ScannedOutput& output,
                                      const std::optional<store::ObjectInfo>& known,
                                      std::stop_token stop);

/// The object to store a file in.
struct FileObject {
  std::string name;
  store::Metadata metadata = {};
  std::optional<store::ObjectInfo> known = {};  ///< the current object, if known; saves a request
};

/// Opens a source. Called again if the source changes while it is read.
using OpenSource = std::function<Result<std::unique_ptr<store::Source>>()>;

/// Creates or replaces an object with the content of a source.
/// @errors  kFailedPrecondition: the source cannot be opened · errors of Store::Put.
Result<store::ObjectInfo> StoreSource(store::Store& store, const OpenSource& open,
                                      const FileObject& object, const std::stop_token& stop);

/// A source without bytes, for links to folders.
Result<std::unique_ptr<store::Source>> OpenNothing();

/// Streams a file into an object, which it creates or replaces. Retries if the file changes while
/// it is read.
Result<store::ObjectInfo> StoreFile(store::Store& store, FileSystem& fs, const Path& file,
                                    const FileObject& object, std::stop_token stop);

/// What the metadata of an output object says about its file: docs/reference/store.md, "Outputs".
struct OutputKind {
  bool executable = false;
  std::string link;  ///< the relative target of a symbolic link; bytes
  bool links_folder = false;
};
store::Metadata ToMetadata(const OutputKind& kind);
OutputKind OutputKindOf(const store::Metadata& metadata);
OutputKind OutputKindOf(const ScannedOutput& output);

/// Returns the relative target of a link at `path` to `destination`, both relative to one folder.
std::string RelativeTarget(std::string_view path, std::string_view destination);
/// Reverses RelativeTarget. Returns nullopt for a target of another form or outside of the folder.
std::optional<std::string> DestinationOf(std::string_view path, std::string_view target);

/// Returns whether the other files can still be stored after this error.
bool IsSingleFileError(const Error& error);

/// A function's return value as result.json contains it.
struct CollectedValue {
  std::optional<Value> inline_value;  ///< if it is small
  Digest digest;                      ///< of value.json
};

/// Stores exchange/value.json and its arrays as the value of one attempt. A small value of a task is
/// only part of its result.
///
/// @errors  kDataLoss (the files are missing, damaged, or too large) · those of Store.
Result<CollectedValue> StoreValue(store::Store& store, FileSystem& fs, const Path& exchange,
                                  const record::RunKey& run, std::stop_token stop);

}  // namespace kinetic::local
