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

/// Whether content is so spread over packs, or so little of what they hold, that packing anew is
/// better: "Writer choices" in docs/reference/store.md.
///
/// @param contents   where the files are, in `packs`.
/// @param new_bytes  content that is still to be stored.
bool IsScattered(std::span<const std::vector<Extent>* const> contents,
                 std::span<const PackInfo> packs, std::uint64_t new_bytes,
                 std::uint64_t pack_bytes);

/// Puts together a tree out of a previous one and new content. Carry comes before
/// Composer::Finish, Build after it.
///
/// @threads  one thread at a time.
class TreeBuilder {
 public:
  /// `previous` may be null. `entries` have their digests.
  TreeBuilder(const Previous* previous, const ContentWriter& content, Composer& composer,
              std::span<TreeEntry> entries);

  /// Whether the tree will be a change of previous->base().
  bool is_delta() const { return is_delta_; }

  /// Gives the composer what rides inline in the previous tree and would be lost with it.
  Status Carry();

  /// Nothing when content is missing: files have changed since their digests were taken.
  std::optional<Tree> Build(Composed composed);

 private:
  bool IsLost(const Extent& extent) const;
  std::optional<std::vector<Extent>> Locate(const TreeEntry& entry) const;
  std::optional<Extent> LocatePiece(const Digest& digest) const;
  std::uint64_t CountChanges() const;

  const Previous* previous_;
  const ContentWriter& content_;
  Composer& composer_;
  std::span<TreeEntry> entries_;
  bool is_delta_ = false;
  std::size_t kept_packs_ = 0;           ///< of the previous tree, at the front of the new one's
  std::uint64_t kept_inline_bytes_ = 0;  ///< the base's
};

}  // namespace kinetic::bundle
