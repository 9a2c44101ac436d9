#pragma once

#include "kinetic/result.h"

#include "bundle/format/tree.h"
#include "bundle/source/file_reader.h"
#include "bundle/write/bundle_writer.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::bundle {

/// Which files of a bundle have a known hash before anything is stored, and which must be read.
struct HashPlan {
  /// The source's entries, in their order. Files have no extents.
  std::vector<TreeEntry> entries;
  std::vector<bool> known;        ///< whether `entries[i].content` is set
  std::vector<std::string> held;  ///< `held[i]`: content kept by HashUnknownFiles
  std::uint64_t content_bytes = 0;
  std::uint64_t unknown_bytes = 0;
  bool unknown_large = false;  ///< a file of kLargeFileBytes or more is unknown
  std::uint64_t files_read = 0;
  std::uint64_t bytes_read = 0;

  bool AllKnown() const { return unknown_bytes == 0 && !unknown_large; }
  /// Records the content read for entry `i`.
  void RecordHash(std::size_t i, const FileContent& content, StatCache& cache);
};

/// Looks up hashes in the cache. Reads no file.
///
/// @errors  kInvalidArgument: the tree is not a valid bundle (CheckEntries).
Result<HashPlan> MakeHashPlan(const Workspace& workspace);

/// Reads and hashes the files that are not in the cache, and keeps their content if `hold`.
Status HashUnknownFiles(const Workspace& workspace, std::size_t threads, bool hold, HashPlan& plan,
                        std::stop_token stop);

}  // namespace kinetic::bundle
