#pragma once

#include "kinetic/result.h"

#include "bundle/format/tree.h"
#include "bundle/write/content_writer.h"
#include "bundle/write/frame_builder.h"
#include "bundle/write/previous_tree.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kinetic::bundle {

/// Returns whether content should be packed again because it is spread over too many packs, or too
/// small a part of them: docs/reference/store.md, "Writer choices".
///
/// @param contents   the files' extents in `packs`.
/// @param new_bytes  content that is not stored yet.
bool IsFragmented(std::span<const std::vector<Extent>* const> contents,
                  std::span<const PackInfo> packs, std::uint64_t new_bytes,
                  std::uint64_t pack_bytes);

/// Builds a tree from a previous one and new content. Call CarryOverInline before, and Build after
/// FrameBuilder::Finish.
///
/// @threads  one thread at a time.
class TreeBuilder {
 public:
  /// `previous` may be null. The digests of `entries` must be set.
  TreeBuilder(const PreviousTree* previous, const ContentWriter& content,
              FrameBuilder& frame_builder, std::span<TreeEntry> entries);

  /// Returns whether the tree will be a delta to previous->base().
  bool is_delta() const { return is_delta_; }

  /// Adds inline content of the previous tree that the new tree would lose to the FrameBuilder.
  Status CarryOverInline();

  /// Returns nullopt if content is missing because files changed after they were hashed.
  std::optional<Tree> Build(StoredContent stored_content);

 private:
  bool IsDropped(const Extent& extent) const;
  std::optional<std::vector<Extent>> Locate(const TreeEntry& entry) const;
  std::optional<Extent> LocatePiece(const Digest& digest) const;
  std::uint64_t CountChanges() const;

  const PreviousTree* previous_;
  const ContentWriter& content_;
  FrameBuilder& frame_builder_;
  std::span<TreeEntry> entries_;
  bool is_delta_ = false;
  std::size_t kept_packs_ = 0;           ///< packs of the base, which come first
  std::uint64_t kept_inline_bytes_ = 0;  ///< inline bytes of the base, which come first
};

}  // namespace kinetic::bundle
