#pragma once

#include "base/files/file_system.h"
#include "bundle/source/walk.h"
#include "record/job_record.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

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

/// Returns a list of files whose status was just read, or null. May wait for it.
using WalkedFiles = std::function<const bundle::SourceTree*()>;

/// Returns whether tracked files differ from the commit. Compares git's index with the commit and
/// with the files; runs no program and applies no configuration. Returns nullopt where that is not
/// enough: filters and line ends, submodules, split and sparse indexes, packed differences.
///
/// @param walked  called after the index is read.
std::optional<bool> IsDirty(FileSystem& fs, const GitRepository& repository,
                            std::string_view commit, const WalkedFiles& walked,
                            const std::stop_token& stop);

/// Runs all of the above for one folder.
std::optional<record::GitState> ReadGitState(FileSystem& fs, const Path& folder,
                                             const WalkedFiles& walked,
                                             const std::stop_token& stop);

/// Reads one of git's own files. Returns nullopt if it is not a regular file or cannot be read.
std::optional<std::string> ReadGitFile(FileSystem& fs, const Path& file, std::uint64_t limit_bytes);

/// Returns whether the text is an object ID in hexadecimal.
bool IsGitObjectId(std::string_view text);

/// A tracked file in git's index. Times and other numbers are truncated to 32 bits, as in git.
struct GitIndexEntry {
  std::string_view path;
  std::string_view id;  ///< of the content, as bytes
  std::uint32_t mode = 0;
  std::uint32_t ctime_s = 0;
  std::uint32_t ctime_ns = 0;  ///< 0: not recorded
  std::uint32_t mtime_s = 0;
  std::uint32_t mtime_ns = 0;
  std::uint32_t inode = 0;
  std::uint32_t size = 0;
  bool is_conflict = false;       ///< one side of an unfinished merge
  bool is_assumed_clean = false;  ///< assume-unchanged or skip-worktree
  bool is_intent_to_add = false;
};

struct GitIndex {
  GitIndex() = default;
  GitIndex(GitIndex&&) noexcept = default;
  GitIndex& operator=(GitIndex&&) noexcept = default;

  std::vector<GitIndexEntry> entries;  ///< by path, bytewise
  std::string tree;   ///< ID of the tree that the index would commit; empty: not recorded
  std::string bytes;  ///< of the file, which the entries refer to
  std::deque<std::string> paths;  ///< those that are not in `bytes` as a whole
};

/// Parses an index of version 2 to 4. Returns nullopt for others, for split and sparse indexes, and
/// for damaged ones. Does not verify the checksum.
///
/// @param id_bytes  size of object IDs: 20 or 32.
/// @source  https://git-scm.com/docs/index-format
std::optional<GitIndex> ParseGitIndex(std::string bytes, std::size_t id_bytes);

/// Computes the ID of the tree that the index would commit.
std::string TreeOfGitIndex(const GitIndex& index, std::size_t id_bytes);

/// Reads the ID of a commit's tree, as bytes, from a loose object or a pack. Returns nullopt if the
/// commit is not found, or is stored as a difference to another one.
///
/// @source  https://git-scm.com/docs/gitformat-pack
std::optional<std::string> ReadCommitTree(FileSystem& fs, const GitRepository& repository,
                                          std::string_view commit);

}  // namespace kinetic::job
