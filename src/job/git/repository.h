#pragma once

#include "base/files/file_system.h"
#include "record/job_record.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// The git repository that contains a folder.
struct GitRepository {
  Path worktree;  ///< the folder that contains `.git`
  Path git_dir;   ///< contains HEAD; for a linked worktree, .git/worktrees/{name}
  Path common;    ///< contains refs and packed-refs; the main repository's .git
};

/// Searches `folder` and its parents. Returns nullopt if the folder is not in a repository.
std::optional<GitRepository> FindGitRepository(FileSystem& fs, const Path& folder);

/// Reads commit and branch from git's own files, without running a program. Returns nullopt if HEAD
/// names no commit: a new repository, or an unsupported reference format.
///
/// @source  https://git-scm.com/docs/gitrepository-layout
std::optional<record::GitState> ReadGitHead(FileSystem& fs, const GitRepository& repository);

/// Returns whether tracked files differ from the commit. Compares git's index with the commit and
/// with the files; runs no program and applies no configuration. Returns nullopt where that is not
/// enough: filters and line ends, submodules, split and sparse indexes, packed differences.
std::optional<bool> IsDirty(FileSystem& fs, const GitRepository& repository,
                            std::string_view commit, const std::stop_token& stop);

/// Runs all of the above for one folder.
std::optional<record::GitState> ReadGitState(FileSystem& fs, const Path& folder,
                                             const std::stop_token& stop);

/// Reads one of git's own files. Returns nullopt if it is not a regular file or cannot be read.
std::optional<std::string> ReadGitFile(FileSystem& fs, const Path& file, std::uint64_t limit_bytes);

/// Returns whether the text is an object ID in hexadecimal.
bool IsGitObjectId(std::string_view text);

}  // namespace kinetic::job
