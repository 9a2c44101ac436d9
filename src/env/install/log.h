#pragma once

#include "kinetic/observer.h"

#include "base/files/file_system.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Longer lines of a log are split.
inline constexpr std::size_t kMaxLogLineBytes = 64 << 10;
/// Maximum number of log lines in an error.
inline constexpr std::size_t kShownLogLines = 15;

/// The output of an installer. Writes it to a file and, by line, to an observer, and keeps the last
/// lines for an error. Known secrets and credentials in URLs are redacted everywhere.
///
/// @threads  one thread at a time.
class InstallerLog {
 public:
  /// Creates `path` with mode 0600, and its folder.
  static Result<InstallerLog> Create(FileSystem& fs, const Path& path,
                                     std::vector<std::string> secrets, Observer* observer);

  /// Appends output, which need not end with a line.
  void Write(std::string_view bytes);

  /// Returns the last lines, at most 15, without progress and notices.
  std::vector<std::string> LastLines();
  /// Returns whether a line contains `text`.
  bool Contains(std::string_view text) const { return TextAfter(text).has_value(); }
  /// Returns what follows `text` in the first line that contains it.
  std::optional<std::string> TextAfter(std::string_view text) const;

  /// Returns the last lines, with progress and notices.
  const std::deque<std::string>& recent() const { return recent_; }

  const Path& path() const { return path_; }
  /// Removes the file, unless the hint of `error` names it.
  ///
  /// @param error  null: the installer succeeded.
  void Close(const Error* error);

 private:
  InstallerLog(FileSystem& fs, Path path, UniqueFd file, std::vector<std::string> secrets,
               Observer* observer)
      : fs_(&fs),
        path_(std::move(path)),
        file_(std::move(file)),
        secrets_(std::move(secrets)),
        observer_(observer) {}
  void EndLine();
  std::string Redacted(std::string_view line) const;

  FileSystem* fs_;
  Path path_;
  UniqueFd file_;
  std::vector<std::string> secrets_;
  Observer* observer_;
  std::string line_;
  std::deque<std::string> recent_;
};

}  // namespace kinetic::env
