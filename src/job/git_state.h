#pragma once

#include "base/file_system.h"
#include "record/record.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// The git repository that a folder belongs to.
struct GitRepository {
  Path worktree;  ///< the folder that holds `.git`
  Path git_dir;   ///< HEAD is in it; of a linked worktree, .git/worktrees/{name}
  Path common;    ///< refs and packed-refs are in it; the main repository's .git
};

/// Looks upward from `folder`. Nothing: it is in no repository.
std::optional<GitRepository> FindGitRepository(FileSystem& fs, const Path& folder);

/// Commit and branch, read from git's own files; no program is run. Nothing when HEAD names no
/// commit: a new repository, or a form of references that is not known here.
///
/// @source  https://git-scm.com/docs/gitrepository-layout
std::optional<record::GitState> ReadGitHead(FileSystem& fs, const GitRepository& repository);

/// Whether files that git tracks differ from the commit, as `git status` says; nothing when git is
/// not on the search path, fails, or is stopped.
std::optional<bool> IsDirty(const GitRepository& repository, std::string_view search_path,
                            std::stop_token stop);

/// All of the above for one folder.
std::optional<record::GitState> ReadGitState(FileSystem& fs, const Path& folder,
                                             std::string_view search_path, std::stop_token stop);

}  // namespace kinetic::job
