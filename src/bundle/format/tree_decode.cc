#include "kinetic/try.h"

#include "bundle/format/pack.h"
#include "bundle/format/tree.h"
#include "bundle/format/tree_codec.h"
#include "bundle/format/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace kinetic::bundle {
namespace {

constexpr std::uint64_t kMaxPacks = 1 << 20;
constexpr std::uint64_t kMaxFrames = 1 << 24;
/// Memory for more rows is allocated as they are read, because the count may be wrong.
constexpr std::uint64_t kMaxReservedRows = 1 << 14;

struct TreeHeader {
  TreeForm form = TreeForm::kFull;
  TreeReferences references;
  std::uint64_t base_packs = 0;
  std::uint64_t raw_bytes = 0;
  std::string_view body;
};

Result<TreeHeader> ReadHeader(std::string_view object) {
  constexpr std::size_t kCheckBytes = 32;
  if (object.size() < kTreeMagic.size() + kCheckBytes) {
    return Fail(ErrorCode::kDataLoss, fmt::format("truncated to {} bytes", object.size()));
  }
  const auto content = object.substr(0, object.size() - kCheckBytes);
  if (Sha256::Of(content).View() != object.substr(content.size())) {
    return Fail(ErrorCode::kDataLoss, "the checksum does not match");
  }
  WireReader reader(content, "header");
  const auto magic = reader.Bytes(kTreeMagic.size());
  if (magic.substr(0, 3) == kTreeMagic.substr(0, 3) && magic > kTreeMagic) {
    return Fail(ErrorCode::kFailedPrecondition, "the tree has a newer format", "update kinetic");
  }
  if (magic != kTreeMagic) reader.Reject("not a tree object");
  TreeHeader header;
  const std::uint8_t form = reader.Byte();
  if (form > 1) reader.Reject("unknown form");
  header.form = static_cast<TreeForm>(form);
  const std::uint64_t packs =
      reader.Number(std::min(kMaxPacks, content.size() / 32), "number of packs");
  for (std::uint64_t i = 0; i < packs; ++i) header.references.packs.push_back(reader.ReadDigest());
  if (header.form == TreeForm::kDelta) {
    header.references.base = reader.ReadDigest();
    header.base_packs = reader.Number(packs, "number of base packs");
  }
  header.raw_bytes = reader.Number(kMaxTreeBodyBytes, "body size");
  header.body = reader.Bytes(reader.Varint());
  if (reader.left() != 0) reader.Reject("extra bytes after the body");
  if (header.raw_bytes > MaxBodyBytes(header.body.size()))
    reader.Reject("body too large for its stored size");
  KINETIC_RETURN_IF_ERROR(reader.status());
  return header;
}

/// Reads the body of a tree object into `tree`.
class BodyReader {
 public:
  BodyReader(std::string_view body, Tree& tree, bool is_delta)
      : reader_(body, "body"), tree_(tree), is_delta_(is_delta) {}

  struct Row {
    TreeEntry entry;
    bool removed = false;
  };

  Result<std::vector<Row>> Read() {
    ReadFrames();
    const std::uint64_t inline_bytes = reader_.Number(reader_.left(), "inline size");
    inline_total_ = tree_.inline_bytes.size() + inline_bytes;
    const std::uint64_t count =
        reader_.Number(std::min<std::uint64_t>(kMaxEntries, reader_.left() / 3), "number of rows");
    std::vector<Row> rows;
    rows.reserve(std::min<std::uint64_t>(count, kMaxReservedRows));
    while (rows.size() < count && reader_.ok()) {
      Row row;
      ReadRow(row, rows.empty() ? std::string_view() : std::string_view(rows.back().entry.path));
      rows.push_back(std::move(row));
    }
    for (auto& row : rows) ReadDigests(row.entry);
    tree_.inline_bytes += reader_.Bytes(inline_bytes);
    if (reader_.left() != 0) reader_.Reject("extra bytes after the inline bytes");
    KINETIC_RETURN_IF_ERROR(reader_.status());
    return rows;
  }

 private:
  void ReadFrames() {
    std::uint64_t total = 0;
    for (std::size_t i = tree_.base_packs; i < tree_.packs.size(); ++i) {
      const std::uint64_t count =
          reader_.Number(std::min(kMaxFrames, reader_.left() / 2), "number of frames");
      total += count;
      if (total > kMaxFrames) reader_.Reject("too many frames");
      if (!reader_.ok()) return;
      auto& frames = tree_.packs[i].frames;
      frames.reserve(count);
      std::uint64_t offset = 0;
      for (std::uint64_t k = 0; k < count && reader_.ok(); ++k) {
        frames.push_back(ReadFrame(offset));
        offset += frames.back().stored_bytes;
      }
    }
  }

  Frame ReadFrame(std::uint64_t offset) {
    const auto stored = static_cast<std::uint32_t>(
        reader_.Number(kMaxFrameBytes + kMaxFrameBytes / 64, "stored frame size"));
    const auto content = static_cast<std::uint32_t>(reader_.Number(kMaxFrameBytes, "frame size"));
    if (stored == 0 || content == 0) reader_.Reject("empty frame");
    return {offset, stored, content};
  }

  void ReadRow(Row& row, std::string_view previous) {
    TreeEntry& entry = row.entry;
    const std::uint64_t shared = reader_.Number(previous.size(), "shared path length");
    const auto suffix = reader_.Bytes(reader_.Number(kMaxPathBytes, "path length"));
    entry.path.reserve(shared + suffix.size());
    entry.path.append(previous.substr(0, shared)).append(suffix);
    if (reader_.ok() && entry.path <= previous) reader_.Reject("path out of order");
    switch (static_cast<RowKind>(reader_.Byte())) {
      case RowKind::kExecutable:
        entry.executable = true;
        [[fallthrough]];
      case RowKind::kFile:
        ReadFile(entry, false);
        return;
      case RowKind::kExecutableChunks:
        entry.executable = true;
        [[fallthrough]];
      case RowKind::kFileChunks:
        ReadFile(entry, true);
        return;
      case RowKind::kLink:
        entry.type = BundleEntry::Type::kSymlink;
        entry.link_target = reader_.Bytes(reader_.Number(kMaxPathBytes, "link length"));
        entry.size_bytes = entry.link_target.size();
        return;
      case RowKind::kFolder:
        entry.type = BundleEntry::Type::kEmptyFolder;
        return;
      case RowKind::kRemoved:
        row.removed = true;
        if (!is_delta_) reader_.Reject("removed entry in a tree without a base");
        return;
    }
    reader_.Reject("unknown kind of row");
  }

  void ReadFile(TreeEntry& entry, bool chunked) {
    entry.size_bytes = reader_.Number(kMaxFileBytes, "file size");
    if (!chunked) {
      if (entry.size_bytes > 0) entry.extents.push_back(ReadPosition(entry.size_bytes));
      return;
    }
    const std::uint64_t count = reader_.Number(reader_.left() / 2, "number of chunks");
    if (count < 2) reader_.Reject("too few chunks");
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < count && reader_.ok(); ++i) {
      const std::uint64_t length = reader_.Number(kMaxFrameBytes, "chunk size");
      entry.extents.push_back(ReadPosition(length));
      sum += length;
    }
    if (sum != entry.size_bytes) reader_.Reject("chunk sizes do not add up to the file size");
  }

  Extent ReadPosition(std::uint64_t length) {
    Extent extent;
    switch (const std::uint64_t code = reader_.Varint()) {
      case kAfterPrevious:
      case kNextFrame:
        if (!last_) {
          reader_.Reject("relative position without a previous one");
          break;
        }
        extent = *last_;
        extent.offset = code == kAfterPrevious ? last_->offset + last_->length : 0;
        if (code == kNextFrame) ++extent.frame;
        break;
      case kAtPosition:
        extent.pack = static_cast<std::uint32_t>(reader_.Number(kMaxPacks, "pack number"));
        extent.frame = static_cast<std::uint32_t>(reader_.Number(kMaxFrames, "frame number"));
        extent.offset = reader_.Number(kMaxFrameBytes, "offset");
        break;
      case kInlineAt:
        extent.offset = reader_.Number(kMaxTreeBodyBytes, "offset");
        break;
      default:
        reader_.Reject("unknown kind of position");
    }
    extent.length = length;
    if (reader_.ok()) CheckExtent(extent);
    last_ = extent;
    return extent;
  }

  void CheckExtent(const Extent& extent) {
    if (extent.length == 0) return reader_.Reject("empty extent");
    std::uint64_t room = inline_total_;
    if (!extent.IsInline()) {
      if (extent.pack >= tree_.packs.size()) return reader_.Reject("unknown pack");
      const auto& frames = tree_.packs[extent.pack].frames;
      if (extent.frame >= frames.size()) return reader_.Reject("unknown frame");
      room = frames[extent.frame].content_bytes;
    }
    if (extent.offset > room || extent.length > room - extent.offset) {
      reader_.Reject("extent out of range");
    }
  }

  void ReadDigests(TreeEntry& entry) {
    if (entry.type == BundleEntry::Type::kSymlink) {
      entry.content = Sha256::Of(entry.link_target);
    } else if (entry.size_bytes == 0) {
      entry.content = empty_digest_;
    } else {
      entry.content = reader_.ReadDigest();
    }
    for (auto& extent : entry.extents) {
      extent.content = entry.extents.size() > 1 ? reader_.ReadDigest() : entry.content;
    }
  }

  WireReader reader_;
  Tree& tree_;
  const bool is_delta_;
  const Digest empty_digest_ = Sha256::Of({});
  std::uint64_t inline_total_ = 0;
  std::optional<Extent> last_;
};

/// Applies the rows of a delta to the entries of its base.
std::vector<TreeEntry> ApplyRows(std::span<const TreeEntry> base,
                                 std::vector<BodyReader::Row> rows) {
  std::vector<TreeEntry> entries;
  entries.reserve(base.size() + rows.size());
  auto old = base.begin();
  for (auto& row : rows) {
    while (old != base.end() && old->path < row.entry.path) entries.push_back(*old++);
    if (old != base.end() && old->path == row.entry.path) ++old;
    if (!row.removed) entries.push_back(std::move(row.entry));
  }
  entries.insert(entries.end(), old, base.end());
  return entries;
}

Status ApplyBase(Tree& tree, const TreeHeader& header, const Tree* base) {
  if (base == nullptr) return Fail(ErrorCode::kInternal, "cannot decode a delta without its base");
  if (base->base) return Fail(ErrorCode::kDataLoss, "its base is also a delta");
  if (base->packs.size() != header.base_packs) {
    return Fail(ErrorCode::kDataLoss, "its packs do not begin with those of its base");
  }
  for (std::size_t i = 0; i < base->packs.size(); ++i) {
    if (base->packs[i].digest != tree.packs[i].digest) {
      return Fail(ErrorCode::kDataLoss, "its packs do not begin with those of its base");
    }
    tree.packs[i].frames = base->packs[i].frames;
  }
  tree.base = header.references.base;
  tree.base_packs = base->packs.size();
  tree.inline_bytes = base->inline_bytes;
  tree.base_inline_bytes = base->inline_bytes.size();
  return {};
}

}  // namespace

Result<TreeReferences> ReferencesOf(std::string_view object) {
  KINETIC_ASSIGN_OR_RETURN(TreeHeader header, ReadHeader(object));
  return std::move(header.references);
}

Result<Tree> DecodeTree(std::string_view object, const Tree* base) {
  KINETIC_ASSIGN_OR_RETURN(TreeHeader header, ReadHeader(object));
  Tree tree;
  for (const auto& pack : header.references.packs) tree.packs.push_back({pack, {}});
  const bool is_delta = header.form == TreeForm::kDelta;
  if (is_delta) KINETIC_RETURN_IF_ERROR(ApplyBase(tree, header, base));
  Decompressor decompressor;
  auto body = decompressor.Decompress(header.body, header.raw_bytes);
  if (!body) return Failure(std::move(body).error().Context("body"));
  auto rows = BodyReader(*body, tree, is_delta).Read();
  if (!rows) return Failure(std::move(rows).error());
  tree.entries = ApplyRows(is_delta ? std::span(base->entries) : std::span<const TreeEntry>(),
                           *std::move(rows));
  if (auto checked = CheckEntries(tree.entries); !checked) {
    return Fail(ErrorCode::kDataLoss, std::move(checked).error().message);
  }
  return tree;
}

}  // namespace kinetic::bundle
