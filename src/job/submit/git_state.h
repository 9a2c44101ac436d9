#pragma once

#include "base/files/file_system.h"
#include "record/job_record.h"

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

/// Returns whether tracked files differ from the commit, according to `git status`. Returns nullopt
/// if git is not on the search path, fails or is stopped.
std::optional<bool> IsDirty(const GitRepository& repository, std::string_view search_path,
                            std::stop_token stop);

/// Runs all of the above for one folder.
std::optional<record::GitState> ReadGitState(FileSystem& fs, const Path& folder,
                                             std::string_view search_path, std::stop_token stop);

}  // namespace kinetic::job
