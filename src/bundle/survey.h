#pragma once

#include "kinetic/result.h"

#include "bundle/file_reader.h"
#include "bundle/tree.h"
#include "bundle/write.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::bundle {

/// What is known of a bundle before anything of it is stored.
struct Survey {
  /// One for each of the source's entries, in their order; files without extents.
  std::vector<TreeEntry> entries;
  std::vector<bool> known;        ///< whether `entries[i].content` is set
  std::vector<std::string> held;  ///< `held[i]`: content that HashUnknown read and kept
  std::uint64_t content_bytes = 0;
  std::uint64_t unknown_bytes = 0;
  bool unknown_large = false;  ///< a file of kLargeFileBytes or more is unknown
  std::uint64_t files_read = 0;
  std::uint64_t bytes_read = 0;

  bool AllKnown() const { return unknown_bytes == 0 && !unknown_large; }
  /// Notes what was read of entry `i`.
  void Note(std::size_t i, const FileContent& content, StatCache& cache);
};

/// Takes what the cache knows; reads nothing.
///
/// @errors  kInvalidArgument: the tree cannot be a bundle (CheckEntries).
Result<Survey> LookAt(const Workspace& workspace);

/// Reads and hashes what the cache does not know, and keeps the content when `hold`.
Status HashUnknown(const Workspace& workspace, std::size_t threads, bool hold, Survey& survey,
                   std::stop_token stop);

}  // namespace kinetic::bundle
