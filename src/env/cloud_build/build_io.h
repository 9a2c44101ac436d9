#pragma once

#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "env/dockerfile/builder.h"
#include "google/cloud_build/build.h"
#include "store/object_store.h"

#include <cstdint>
#include <deque>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Paths in the source archive.
inline constexpr std::string_view kArchiveDockerfile = "Dockerfile";
inline constexpr std::string_view kArchiveContext = "context";

/// A stored .tar.gz archive with a Dockerfile and its context.
struct BuildSource {
  Digest digest;     ///< of the archive
  std::string name;  ///< of the object
  std::int64_t generation = 0;
};

/// Packs the Dockerfile and the files of the context that are not ignored, and stores the archive
/// unless the store has it. Equal files produce equal archives: times and owners are omitted, and
/// only the executable bit of the permissions is kept.
///
/// @param scratch  folder for the archive until it is stored.
/// @errors  those of FileSystem and Store · kInvalidArgument: an entry of the context is not a
///          file, folder or link.
Result<BuildSource> UploadBuildSource(FileSystem& fs, const ImageBuildRequest& request,
                                      store::Store& store, const Path& scratch,
                                      std::stop_token stop);

/// Reads a Cloud Build log, an object that is repeatedly replaced by a longer version.
///
/// @threads  one thread at a time.
class CloudBuildLog {
 public:
  /// @param name      of the object, which need not exist yet. The store outlives this.
  /// @param observer  receives each line; may be null.
  CloudBuildLog(store::Store& store, std::string name, Observer* observer)
      : store_(store), name_(std::move(name)), observer_(observer) {}

  /// Reads what was added since the last call. Errors are ignored, as the next call reads the rest;
  /// after kPermissionDenied, warns once and reads no more.
  ///
  /// @returns whether anything was added. @errors kCancelled.
  Result<bool> Read(std::stop_token stop);

  /// Returns the last lines, at most 15, with long lines truncated.
  std::vector<std::string> LastLines();

 private:
  void Append(std::string_view bytes);
  void EndLine();

  store::Store& store_;
  std::string name_;
  Observer* observer_;
  bool is_closed_ = false;
  std::uint64_t read_bytes_ = 0;
  std::string line_;
  std::deque<std::string> recent_;
};

/// Returns the status of a finished build. Each error names the build's web page.
///
/// @param image       the requested image.
/// @param last_lines  of the build's log; may be empty.
/// @errors  kFailedPrecondition (a step failed; the source or the log is not accessible) ·
///          kPermissionDenied (the account cannot push) · kDeadlineExceeded (the build or its queue
///          timed out) · kAborted (cancelled) · kUnavailable (internal error of the service).
Status CloudBuildStatus(const google::Build& build, const std::string& image,
                        const std::vector<std::string>& last_lines);

}  // namespace kinetic::env
