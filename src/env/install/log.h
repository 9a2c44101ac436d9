#pragma once

#include "kinetic/observer.h"

#include "base/files/file_system.h"

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// A longer line of a log is broken.
inline constexpr std::size_t kMaxLogLineBytes = 64 << 10;
/// How many lines of a log are shown when what wrote it failed.
inline constexpr std::size_t kShownLogLines = 15;

/// What an installer says: all of it goes to a file, line by line to an observer, and its last
/// lines into the error if it fails. Known secrets and credentials in URLs are masked everywhere.
///
/// @threads  one thread at a time.
class InstallerLog {
 public:
  /// Makes `path`, 0600, and its folder.
  static Result<InstallerLog> Create(FileSystem& fs, const Path& path,
                                     std::vector<std::string> secrets, Observer* observer);

  /// Takes output in pieces that need not end with lines.
  void Write(std::string_view bytes);

  /// The end of what it said, without progress and notices: 15 lines at most.
  std::vector<std::string> LastLines();
  /// Whether any line held `text`.
  bool Said(std::string_view text) const { return After(text).has_value(); }
  /// What followed `text` in the first line that held it.
  std::optional<std::string> After(std::string_view text) const;

  const Path& path() const { return path_; }
  /// Removes the file, unless the installer failed and the error's hint names it.
  ///
  /// @param error  null: it did its work.
  void Settle(const Error* error);

 private:
  InstallerLog(FileSystem& fs, Path path, UniqueFd file, std::vector<std::string> secrets,
               Observer* observer)
      : fs_(&fs),
        path_(std::move(path)),
        file_(std::move(file)),
        secrets_(std::move(secrets)),
        observer_(observer) {}
  void EndLine();
  std::string Masked(std::string_view line) const;

  FileSystem* fs_;
  Path path_;
  UniqueFd file_;
  std::vector<std::string> secrets_;
  Observer* observer_;
  std::string line_;
  std::deque<std::string> recent_;
};

}  // namespace kinetic::env
