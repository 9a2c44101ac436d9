#include "bundle/format/pack.h"
#include "bundle/format/tree_codec.h"
#include "bundle/format/wire.h"

#include <algorithm>

namespace kinetic::bundle {
namespace {

/// Writes the rows and, separately, the digests, which follow all rows.
class RowWriter {
 public:
  void Removed(const TreeEntry& entry) { Begin(entry.path, RowKind::kRemoved); }

  void Entry(const TreeEntry& entry) {
    switch (entry.type) {
      case BundleEntry::Type::kSymlink:
        Begin(entry.path, RowKind::kLink);
        PutVarint(rows, entry.link_target.size());
        rows += entry.link_target;
        return;
      case BundleEntry::Type::kEmptyFolder:
        Begin(entry.path, RowKind::kFolder);
        return;
      case BundleEntry::Type::kFile:
        File(entry);
    }
  }

  std::string rows;
  std::string digests;
  std::uint64_t count = 0;

 private:
  void Begin(std::string_view path, RowKind kind) {
    const auto differ = std::mismatch(path.begin(), path.end(), previous_.begin(), previous_.end());
    const auto shared = static_cast<std::size_t>(differ.first - path.begin());
    PutVarint(rows, shared);
    PutVarint(rows, path.size() - shared);
    rows += path.substr(shared);
    rows += static_cast<char>(kind);
    previous_ = path;
    ++count;
  }

  void File(const TreeEntry& entry) {
    const bool chunked = entry.extents.size() > 1;
    if (chunked) {
      Begin(entry.path, entry.executable ? RowKind::kExecutableChunks : RowKind::kFileChunks);
    } else {
      Begin(entry.path, entry.executable ? RowKind::kExecutable : RowKind::kFile);
    }
    PutVarint(rows, entry.size_bytes);
    if (entry.size_bytes == 0) return;
    digests += entry.content.View();
    if (chunked) PutVarint(rows, entry.extents.size());
    for (const auto& extent : entry.extents) {
      if (chunked) {
        PutVarint(rows, extent.length);
        digests += extent.content.View();
      }
      Position(extent);
    }
  }

  void Position(const Extent& extent) {
    if (last_ && last_->pack == extent.pack && last_->frame == extent.frame &&
        last_->offset + last_->length == extent.offset) {
      PutVarint(rows, kAfterPrevious);
    } else if (extent.IsInline()) {
      PutVarint(rows, kInlineAt);
      PutVarint(rows, extent.offset);
    } else if (last_ && last_->pack == extent.pack && last_->frame + 1 == extent.frame &&
               extent.offset == 0) {
      PutVarint(rows, kNextFrame);
    } else {
      PutVarint(rows, kAtPosition);
      PutVarint(rows, extent.pack);
      PutVarint(rows, extent.frame);
      PutVarint(rows, extent.offset);
    }
    last_ = &extent;
  }

  std::string_view previous_;
  const Extent* last_ = nullptr;
};

void WriteChanges(const Tree& tree, const Tree& base, RowWriter& writer) {
  auto old = base.entries.begin();
  for (const auto& entry : tree.entries) {
    while (old != base.entries.end() && old->path < entry.path) writer.Removed(*old++);
    const bool same_path = old != base.entries.end() && old->path == entry.path;
    if (!same_path || !(*old == entry)) writer.Entry(entry);
    if (same_path) ++old;
  }
  while (old != base.entries.end()) writer.Removed(*old++);
}

std::string EncodeBody(const Tree& tree, const Tree* base) {
  RowWriter writer;
  if (base != nullptr) {
    WriteChanges(tree, *base, writer);
  } else {
    for (const auto& entry : tree.entries) writer.Entry(entry);
  }
  std::string body;
  const std::size_t first_pack = base != nullptr ? tree.base_packs : 0;
  const std::uint64_t first_inline = base != nullptr ? tree.base_inline_bytes : 0;
  for (std::size_t i = first_pack; i < tree.packs.size(); ++i) {
    PutVarint(body, tree.packs[i].frames.size());
    for (const auto& frame : tree.packs[i].frames) {
      PutVarint(body, frame.stored_bytes);
      PutVarint(body, frame.content_bytes);
    }
  }
  PutVarint(body, tree.inline_bytes.size() - first_inline);
  PutVarint(body, writer.count);
  body.append(writer.rows)
      .append(writer.digests)
      .append(tree.inline_bytes, static_cast<std::size_t>(first_inline));
  return body;
}

}  // namespace

Result<std::string> EncodeTree(const Tree& tree, const Tree* base) {
  const std::string body = EncodeBody(tree, base);
  std::string object(kTreeMagic);
  object += static_cast<char>(base != nullptr ? TreeForm::kDelta : TreeForm::kFull);
  PutVarint(object, tree.packs.size());
  for (const auto& pack : tree.packs) object += pack.digest.View();
  if (base != nullptr) {
    object += tree.base.value_or(Digest{}).View();
    PutVarint(object, tree.base_packs);
  }
  if (body.size() > kMaxTreeBodyBytes) {
    return Fail(ErrorCode::kInvalidArgument, "the bundle has too many files",
                "exclude some with .kineticignore, or pack them into one file");
  }
  Compressor compressor(kTreeLevel);
  std::string stored(compressor.Compress(body));
  if (stored.empty() || body.size() > MaxBodyBytes(stored.size())) stored = EncodeRawFrame(body);
  PutVarint(object, body.size());
  PutVarint(object, stored.size());
  object += stored;
  object += Sha256::Of(object).View();
  return object;
}

}  // namespace kinetic::bundle
