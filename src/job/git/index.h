#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// A tracked file in git's index. Times and other numbers are truncated to 32 bits, as in git.
struct GitIndexEntry {
  std::string path;
  std::string id;  ///< of the content, as bytes
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
  std::vector<GitIndexEntry> entries;  ///< by path, bytewise
  std::string tree;  ///< ID of the tree that the index would commit; empty: not recorded
};

/// Parses an index of version 2 to 4. Returns nullopt for others, for split and sparse indexes, and
/// for damaged ones. Does not verify the checksum.
///
/// @param id_bytes  size of object IDs: 20 or 32.
/// @source  https://git-scm.com/docs/index-format
std::optional<GitIndex> ParseGitIndex(std::string_view bytes, std::size_t id_bytes);

/// Computes the ID of the tree that the index would commit.
std::string TreeOfGitIndex(const GitIndex& index, std::size_t id_bytes);

}  // namespace kinetic::job
