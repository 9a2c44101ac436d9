#pragma once

#include "kinetic/result.h"

#include "base/concurrency/pipeline.h"
#include "bundle/format/buffer.h"
#include "bundle/format/tree.h"
#include "bundle/source/file_reader.h"
#include "bundle/write/bundle_writer.h"
#include "bundle/write/frame_builder.h"
#include "bundle/write/previous_tree.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace kinetic::bundle {

/// The entries of a bundle, and which of its files must be read because their hash is unknown.
struct HashPlan {
  struct State {
    bool known = true;     ///< the entry's `content` is set
    bool changed = false;  ///< see FileContent
    bool removed = false;  ///< there was no such file when it was to be read
    std::string held;      ///< content kept by HashUnknownFiles
  };
  /// In the order of the source's entries. Files have no extents.
  std::vector<TreeEntry> entries;
  std::vector<State> states;  ///< of the entries
  std::uint64_t content_bytes = 0;
  std::uint64_t unknown_bytes = 0;
  bool unknown_large = false;  ///< a file of kLargeFileBytes or more is unknown
  std::uint64_t files_read = 0;
  std::uint64_t bytes_read = 0;

  bool AllKnown() const { return unknown_bytes == 0 && !unknown_large; }
  /// Records in the plan and in the workspace what was read of entry `i`.
  void RecordHash(std::size_t i, const FileContent& content, const Workspace& workspace);
  /// Removes the entries of removed files from the plan and from the workspace. Appends their paths
  /// to `removed`.
  ///
  /// @errors  kAborted: no entry is left.
  Status DropRemoved(const Workspace& workspace, std::vector<std::string>& removed);
};

/// Returns the cache's last tree if the workspace has the same files, according to the cache.
std::optional<Digest> FindUnchangedTree(const Workspace& workspace);

/// Looks up hashes in the cache, without reading files.
///
/// @errors  kInvalidArgument: the tree is not a valid bundle (CheckEntries).
Result<HashPlan> MakeHashPlan(const Workspace& workspace);

/// Reads and hashes the files that are not in the cache, and keeps their content if `hold`. Marks
/// those that were removed.
Status HashUnknownFiles(const Workspace& workspace, std::size_t threads, bool hold, HashPlan& plan,
                        std::stop_token stop);

/// Reads the content of a bundle that is not stored yet, and adds it to a FrameBuilder in the order
/// of the paths.
///
/// @threads  one thread at a time; Write uses several of its own.
class ContentWriter {
 public:
  /// The arguments must outlive this object. `previous` may be null.
  ContentWriter(const Workspace& workspace, const PreviousTree* previous, HashPlan& plan,
                FrameBuilder& frame_builder);

  /// Completes the plan's digests, and marks the files that were removed. Afterwards the content is
  /// in the FrameBuilder or in the previous tree. The digests of files that have changed since they
  /// were hashed differ from those of the plan.
  Status Write(std::size_t threads, std::stop_token stop);

  /// A chunk of a file.
  struct Piece {
    Digest digest;
    std::uint64_t length = 0;
  };
  /// Returns the chunks of a large file that was read, or null for other contents.
  const std::vector<Piece>* FindChunks(const Digest& content) const;

 private:
  /// Indexes of adjacent small files, or of one large file.
  using Batch = std::vector<std::size_t>;

  void Plan();
  bool IsLarge(std::size_t i) const;
  Status WriteSmall(const Batch& batch, std::uint64_t number, const std::stop_token& stop);
  Status WriteLarge(std::size_t i, std::uint64_t number, const std::stop_token& stop);
  Status AddLarge(std::size_t i, const std::stop_token& stop);
  Status AddContent(std::size_t i, const FileContent& content, std::string_view bytes);

  const Workspace& workspace_;
  const PreviousTree* previous_;
  HashPlan& plan_;
  FrameBuilder& frame_builder_;
  std::vector<Batch> batches_;
  BufferPool buffers_{kMaxChunkBytes};
  OrderedGate gate_;
  std::unordered_map<Digest, std::vector<Piece>> chunks_;
};

}  // namespace kinetic::bundle
