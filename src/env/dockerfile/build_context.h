#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "bundle/ignore/wildcard.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

inline constexpr std::string_view kIgnoreFileName = ".dockerignore";

/// The rules of a .dockerignore, relative to the context's folder. The last rule that matches a
/// path or a parent folder applies. `**` within a name is equivalent to `*`.
///
/// @source https://docs.docker.com/build/concepts/context/#dockerignore-files
/// @threads  safe to read concurrently.
class DockerIgnore {
 public:
  /// Ignores nothing.
  DockerIgnore() = default;
  /// Invalid lines match nothing.
  static DockerIgnore Parse(std::string_view text);

  /// @param path  relative to the context, '/'-separated, without a trailing '/'.
  bool Excludes(std::string_view path) const;
  /// Returns whether a rule may include files of an excluded folder.
  bool HasExceptions() const { return has_exceptions_; }

 private:
  struct Rule {
    bool negated = false;
    bundle::Wildcard pattern;
  };
  std::vector<Rule> rules_;
  bool has_exceptions_ = false;
};

/// An entry of a build context.
struct ContextEntry {
  std::string path;  ///< relative to the context, '/'-separated; any bytes
  FileStatus status;
  std::string link_target;  ///< of a symbolic link, as written

  bool IsExecutable() const { return (status.mode & 0111U) != 0; }
};

/// Returns the ignore file of a context: the one named after the Dockerfile, else the one in the
/// context's folder, else an empty path.
///
/// @source  https://docs.docker.com/build/concepts/context/#filename-and-location
Path FindIgnoreFile(FileSystem& fs, const Path& context, const Path& dockerfile);

/// Lists the entries of a context that are not ignored, sorted bytewise by path. Links are not
/// followed.
///
/// @param ignore_file  from FindIgnoreFile.
/// @errors  kInvalidArgument: an entry is not a file, folder or link · those of FileSystem ·
///          kCancelled.
Result<std::vector<ContextEntry>> ListContext(FileSystem& fs, const Path& context,
                                              const Path& ignore_file, std::stop_token stop);

/// Returns a hash of the paths, content, links and executable bits of a context.
///
/// @param cache  file with the digests of unchanged files.
/// @errors  those of FileSystem · kAborted: a file changed while it was read · kCancelled.
Result<Digest> HashContext(FileSystem& fs, Clock& clock, const Path& context,
                           const std::vector<ContextEntry>& entries, const Path& cache,
                           std::stop_token stop);

}  // namespace kinetic::env
