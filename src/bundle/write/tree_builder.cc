#include "bundle/write/tree_builder.h"

#include "kinetic/try.h"

#include "bundle/write/previous_tree.h"

#include <algorithm>
#include <utility>

namespace kinetic::bundle {
namespace {

constexpr std::uint64_t kMaxDeadPercent = 25;
constexpr std::uint64_t kAlwaysDelta = 64;    // changed entries
constexpr std::uint64_t kDeltaFraction = 32;  // of all entries

/// Drops unreferenced packs, except the first `keep`, and renumbers the rest.
void DropUnusedPacks(Tree& tree, std::size_t keep) {
  std::vector<bool> used(tree.packs.size(), false);
  std::fill_n(used.begin(), keep, true);
  for (const auto& entry : tree.entries) {
    for (const auto& extent : entry.extents) {
      if (!extent.IsInline()) used[extent.pack] = true;
    }
  }
  std::vector<std::uint32_t> number(tree.packs.size());
  std::vector<PackInfo> packs;
  for (std::size_t i = 0; i < tree.packs.size(); ++i) {
    number[i] = static_cast<std::uint32_t>(packs.size());
    if (used[i]) packs.push_back(std::move(tree.packs[i]));
  }
  tree.packs = std::move(packs);
  for (auto& entry : tree.entries) {
    for (auto& extent : entry.extents) {
      if (!extent.IsInline()) extent.pack = number[extent.pack];
    }
  }
}

}  // namespace

bool IsFragmented(std::span<const std::vector<Extent>* const> contents,
                  std::span<const PackInfo> packs, std::uint64_t new_bytes,
                  std::uint64_t pack_bytes) {
  std::uint64_t content = 0;
  std::uint64_t stored = 0;
  for (const auto& pack : packs) {
    for (const auto& frame : pack.frames) {
      content += frame.content_bytes;
      stored += frame.stored_bytes;
    }
  }
  std::size_t extents = 0;
  for (const auto* content_extents : contents) extents += content_extents->size();
  std::uint64_t live = 0;
  DigestIndex<Extent, &Extent::content> seen(extents);
  for (const auto* content_extents : contents) {
    for (const auto& extent : *content_extents) {
      if (!extent.IsInline() && seen.Add(extent)) live += extent.length;
    }
  }
  const std::uint64_t dead = content - std::min(content, live);
  if (dead * 100 > kMaxDeadPercent * (content + new_bytes)) return true;
  constexpr std::size_t kManyPacks = 16;
  return packs.size() > kManyPacks && packs.size() > 2 * (stored / pack_bytes + 1);
}

TreeBuilder::TreeBuilder(const PreviousTree* previous, const ContentWriter& content,
                         FrameBuilder& frame_builder, std::span<TreeEntry> entries)
    : previous_(previous), content_(content), frame_builder_(frame_builder), entries_(entries) {
  if (previous_ == nullptr) return;
  const Tree& base = previous_->base();
  is_delta_ = CountChanges() <= std::max(kAlwaysDelta, entries_.size() / kDeltaFraction);
  kept_packs_ = is_delta_ ? base.packs.size() : 0;
  kept_inline_bytes_ = is_delta_ ? base.inline_bytes.size() : 0;
}

std::uint64_t TreeBuilder::CountChanges() const {
  const auto& base = previous_->base().entries;
  std::uint64_t same = 0;
  auto old = base.begin();
  for (const auto& entry : entries_) {
    while (old != base.end() && old->path < entry.path) ++old;
    if (old != base.end() && old->path == entry.path && HaveSameContent(*old, entry)) ++same;
  }
  return entries_.size() + base.size() - 2 * same;
}

bool TreeBuilder::IsDropped(const Extent& extent) const {
  return extent.IsInline() && extent.offset >= kept_inline_bytes_;
}

Status TreeBuilder::CarryOverInline() {
  if (previous_ == nullptr) return {};
  for (const auto& entry : entries_) {
    const auto* extents = previous_->FindFile(entry.content);
    if (extents == nullptr) continue;
    for (const auto& extent : *extents) {
      if (!IsDropped(extent)) continue;
      const std::string_view bytes = previous_->tree().inline_bytes;
      KINETIC_RETURN_IF_ERROR(
          frame_builder_.Add(extent.content, bytes.substr(extent.offset, extent.length)));
    }
  }
  return {};
}

std::optional<Extent> TreeBuilder::LocatePiece(const Digest& digest) const {
  if (const Extent* old = previous_ != nullptr ? previous_->FindPiece(digest) : nullptr) {
    if (!IsDropped(*old)) return *old;
  }
  auto extent = frame_builder_.Find(digest);
  if (!extent) return std::nullopt;
  if (extent->IsInline()) {
    extent->offset += kept_inline_bytes_;
  } else if (previous_ != nullptr) {
    extent->pack += static_cast<std::uint32_t>(previous_->tree().packs.size());
  }
  return extent;
}

std::optional<std::vector<Extent>> TreeBuilder::Locate(const TreeEntry& entry) const {
  const auto* old = previous_ != nullptr ? previous_->FindFile(entry.content) : nullptr;
  const auto is_dropped = [this](const Extent& extent) { return IsDropped(extent); };
  if (old != nullptr && std::ranges::none_of(*old, is_dropped)) return *old;
  std::vector<Digest> pieces;
  if (const auto* chunks = content_.FindChunks(entry.content);
      old == nullptr && chunks != nullptr) {
    for (const auto& chunk : *chunks) pieces.push_back(chunk.digest);
  } else if (old != nullptr) {
    for (const auto& extent : *old) pieces.push_back(extent.content);
  } else {
    pieces.push_back(entry.content);
  }
  std::vector<Extent> extents;
  for (const auto& piece : pieces) {
    const auto extent = LocatePiece(piece);
    if (!extent) return std::nullopt;
    extents.push_back(*extent);
  }
  return extents;
}

std::optional<Tree> TreeBuilder::Build(StoredContent stored_content) {
  Tree tree;
  if (previous_ != nullptr) tree.packs = previous_->tree().packs;
  std::move(stored_content.packs.begin(), stored_content.packs.end(),
            std::back_inserter(tree.packs));
  if (is_delta_) {
    tree.base = previous_->base_digest();
    tree.base_packs = kept_packs_;
    tree.inline_bytes = previous_->base().inline_bytes;
    tree.base_inline_bytes = kept_inline_bytes_;
  }
  tree.inline_bytes += stored_content.inline_bytes;
  for (auto& entry : entries_) {
    if (entry.type == BundleEntry::Type::kFile && entry.size_bytes > 0) {
      auto extents = Locate(entry);
      if (!extents) return std::nullopt;
      entry.extents = *std::move(extents);
    }
  }
  tree.entries.assign(std::make_move_iterator(entries_.begin()),
                      std::make_move_iterator(entries_.end()));
  DropUnusedPacks(tree, kept_packs_);
  return tree;
}

}  // namespace kinetic::bundle
