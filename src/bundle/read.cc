#include "bundle/read.h"

#include "base/strings.h"
#include "base/try.h"
#include "bundle/frame.h"
#include "bundle/frame_fetch.h"
#include "bundle/tree_code.h"
#include "record/layout.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::bundle {
namespace {

Result<std::string> FetchTree(store::Store& store, const Digest& digest, std::stop_token stop) {
  auto object =
      store::GetBytes(store, record::TreeName(digest), std::move(stop), kMaxTreeObjectBytes);
  if (!object) return Failure(std::move(object).error());
  if (!*object) {
    return Fail(ErrorCode::kNotFound,
                fmt::format("tree {} is not in {}", digest.Hex(), store.Location()),
                "run the job again from its sources; what was collected cannot be brought back");
  }
  return **std::move(object);
}

Failure Damaged(const Digest& digest, Error error) {
  return Failure(std::move(error).Context(fmt::format("reading tree {}", digest.Hex())));
}

/// Reads one tree object whose base, if it is a delta, is there already.
Result<Tree> Decode(const Digest& digest, std::string_view object, const Tree* base) {
  auto tree = DecodeTree(object, base);
  if (!tree) return Damaged(digest, std::move(tree).error());
  if (TreeDigest(tree->entries) != digest) {
    return Damaged(digest, {ErrorCode::kDataLoss, "what it lists has another digest", {}, {}});
  }
  return tree;
}

}  // namespace

Result<LoadedTree> LoadTreeAndBase(store::Store& store, const Digest& digest,
                                   std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const std::string object, FetchTree(store, digest, stop));
  auto references = ReferencesOf(object);
  if (!references) return Damaged(digest, std::move(references).error());
  LoadedTree loaded;
  if (references->base) {
    KINETIC_ASSIGN_OR_RETURN(const std::string below, FetchTree(store, *references->base, stop));
    auto its_references = ReferencesOf(below);
    if (!its_references) return Damaged(*references->base, std::move(its_references).error());
    if (its_references->base) {
      return Damaged(digest, {ErrorCode::kDataLoss, "its base is a delta itself", {}, {}});
    }
    KINETIC_ASSIGN_OR_RETURN(loaded.base, Decode(*references->base, below, nullptr));
  }
  KINETIC_ASSIGN_OR_RETURN(loaded.tree,
                           Decode(digest, object, loaded.base ? &*loaded.base : nullptr));
  return loaded;
}

Result<Tree> LoadTree(store::Store& store, const Digest& digest, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(LoadedTree loaded, LoadTreeAndBase(store, digest, std::move(stop)));
  return std::move(loaded.tree);
}

Result<std::string> ReadContent(store::Store& store, const Tree& tree, const TreeEntry& entry,
                                std::uint64_t limit_bytes, std::stop_token stop) {
  if (entry.type == BundleEntry::Type::kSymlink) return entry.link_target;
  if (entry.size_bytes > limit_bytes) {
    return Fail(ErrorCode::kResourceExhausted,
                fmt::format("'{}' has {} bytes, more than {}", Printable(entry.path),
                            entry.size_bytes, limit_bytes));
  }
  std::string content;
  content.reserve(entry.size_bytes);
  Decompressor decompressor;
  for (const auto& extent : entry.extents) {
    if (extent.IsInline()) {
      content += std::string_view(tree.inline_bytes).substr(extent.offset, extent.length);
      continue;
    }
    const FrameRange range{extent.pack, extent.frame, 1};
    KINETIC_ASSIGN_OR_RETURN(const std::string stored, FetchFrames(store, tree, range, stop));
    auto frame = DecompressFrame(decompressor, tree, range.pack, range.first, stored);
    if (!frame) return Failure(std::move(frame).error());
    content += frame->substr(extent.offset, extent.length);
  }
  if (Sha256::Of(content) != entry.content) return Failure(WrongContent(entry.path, entry.content));
  return content;
}

}  // namespace kinetic::bundle
