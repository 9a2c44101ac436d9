#include "bundle/read/tree_loader.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "bundle/format/pack.h"
#include "bundle/format/tree_codec.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::bundle {
namespace {

Failure Damaged(const Digest& digest, Error error) {
  return Failure(std::move(error).Context(fmt::format("cannot read tree {}", digest.Hex())));
}

/// Decodes and verifies one tree object. `base` is null for a full tree.
Result<Tree> Decode(const Digest& digest, std::string_view object, const Tree* base) {
  auto tree = DecodeTree(object, base);
  if (!tree) return Damaged(digest, std::move(tree).error());
  if (TreeDigest(tree->entries) != digest) {
    return Damaged(digest, {ErrorCode::kDataLoss, "its entries do not match its digest", {}, {}});
  }
  return tree;
}

}  // namespace

Result<TreeObjects> FetchTreeObjects(const Digest& digest, const TreeFetcher& fetch) {
  const auto get = [&](const Digest& tree) -> Result<TreeObject> {
    KINETIC_ASSIGN_OR_RETURN(auto object, fetch(tree));
    if (object) return *std::move(object);
    return Fail(ErrorCode::kNotFound, fmt::format("tree {} does not exist", tree.Hex()));
  };
  TreeObjects objects{.digest = digest, .tree = {}, .base_digest = {}, .base = {}};
  KINETIC_ASSIGN_OR_RETURN(objects.tree, get(digest));
  auto references = ReferencesOf(objects.tree.body);
  if (!references) return Damaged(digest, std::move(references).error());
  objects.base_digest = references->base;
  if (!objects.base_digest) return objects;
  KINETIC_ASSIGN_OR_RETURN(objects.base, get(*objects.base_digest));
  auto its_references = ReferencesOf(objects.base.body);
  if (!its_references) return Damaged(*objects.base_digest, std::move(its_references).error());
  if (!its_references->base) return objects;
  return Damaged(digest, {ErrorCode::kDataLoss, "its base is also a delta", {}, {}});
}

Result<LoadedTree> DecodeTree(const TreeObjects& objects) {
  LoadedTree loaded;
  if (objects.base_digest) {
    KINETIC_ASSIGN_OR_RETURN(loaded.base, Decode(*objects.base_digest, objects.base.body, nullptr));
  }
  KINETIC_ASSIGN_OR_RETURN(loaded.tree, Decode(objects.digest, objects.tree.body,
                                               loaded.base ? &*loaded.base : nullptr));
  return loaded;
}

Result<Tree> LoadTree(store::Store& store, const Digest& digest, std::stop_token stop) {
  const auto fetch = [&](const Digest& tree) -> Result<std::optional<TreeObject>> {
    KINETIC_ASSIGN_OR_RETURN(auto object, ReadTreeObject(store, tree, stop));
    if (object) return object;
    return Fail(ErrorCode::kNotFound,
                fmt::format("tree {} is not in {}", tree.Hex(), store.Location()),
                "submit the job again; removed content cannot be restored");
  };
  KINETIC_ASSIGN_OR_RETURN(const TreeObjects objects, FetchTreeObjects(digest, fetch));
  KINETIC_ASSIGN_OR_RETURN(LoadedTree loaded, DecodeTree(objects));
  return std::move(loaded.tree);
}

Result<std::string> ReadContent(store::Store& store, const Tree& tree, const TreeEntry& entry,
                                std::uint64_t limit_bytes, std::stop_token stop) {
  if (entry.type == BundleEntry::Type::kSymlink) return entry.link_target;
  if (entry.size_bytes > limit_bytes) {
    return Fail(ErrorCode::kResourceExhausted,
                fmt::format("'{}' has {} bytes, more than the limit of {}", Printable(entry.path),
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
  if (Sha256::Of(content) != entry.content)
    return Failure(DigestMismatch(entry.path, entry.content));
  return content;
}

}  // namespace kinetic::bundle
