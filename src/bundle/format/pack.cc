#include "bundle/format/pack.h"

#include "kinetic/try.h"

#include "bundle/format/wire.h"

#include <fmt/format.h>

namespace kinetic::bundle {
namespace {

constexpr std::uint32_t kSkippableMagic = 0x184D2A5B;
constexpr std::string_view kBeginMagic = "KPI1";
constexpr std::string_view kEndMagic = "KPE1";
constexpr std::string_view kListHeader = "kinetic pack 1\n";
constexpr std::size_t kTrailerBytes = 8;
constexpr std::size_t kHeaderBytes = 8;

Result<std::string_view> FindIndex(std::string_view tail) {
  if (tail.size() < kTrailerBytes) {
    return Fail(ErrorCode::kDataLoss,
                fmt::format("the pack index is truncated to {} bytes", tail.size()));
  }
  WireReader trailer(tail.substr(tail.size() - kTrailerBytes), "end of pack index");
  const std::uint32_t total = trailer.U32();
  const auto magic = trailer.Bytes(kEndMagic.size());
  if (magic.substr(0, 3) == kEndMagic.substr(0, 3) && magic > kEndMagic) {
    return Fail(ErrorCode::kFailedPrecondition, "the pack index has a newer format",
                "update kinetic");
  }
  if (magic != kEndMagic) trailer.Reject("not a pack");
  if (total > tail.size() || total < kHeaderBytes + kTrailerBytes) {
    trailer.Reject(fmt::format("invalid index size of {} bytes", total));
  }
  KINETIC_RETURN_IF_ERROR(trailer.status());
  return tail.substr(tail.size() - total);
}

}  // namespace

std::string EncodePackIndex(std::span<const Frame> frames) {
  std::string content(kBeginMagic);
  PutVarint(content, frames.size());
  for (const auto& frame : frames) {
    PutVarint(content, frame.stored_bytes);
    PutVarint(content, frame.content_bytes);
  }
  const auto total = static_cast<std::uint32_t>(kHeaderBytes + content.size() + kTrailerBytes);
  PutU32(content, total);
  content += kEndMagic;
  std::string index;
  PutU32(index, kSkippableMagic);
  PutU32(index, static_cast<std::uint32_t>(content.size()));
  return index += content;
}

Result<std::vector<Frame>> DecodePackIndex(std::string_view tail, std::uint64_t pack_bytes) {
  KINETIC_ASSIGN_OR_RETURN(const std::string_view index, FindIndex(tail));
  WireReader reader(index.substr(0, index.size() - kTrailerBytes), "pack index");
  if (reader.U32() != kSkippableMagic) reader.Reject("not a skippable frame");
  if (reader.U32() != index.size() - kHeaderBytes) reader.Reject("wrong frame length");
  if (reader.Bytes(kBeginMagic.size()) != kBeginMagic) reader.Reject("not a pack index");
  const std::uint64_t count = reader.Number(reader.left() / 2, "number of frames");
  std::vector<Frame> frames(count);
  std::uint64_t offset = 0;
  for (auto& frame : frames) {
    frame.offset = offset;
    frame.stored_bytes = static_cast<std::uint32_t>(reader.Number(0xFFFFFFFF, "stored frame size"));
    frame.content_bytes = static_cast<std::uint32_t>(reader.Number(kMaxFrameBytes, "frame size"));
    if (frame.stored_bytes == 0 || frame.content_bytes == 0) reader.Reject("empty frame");
    offset += frame.stored_bytes;
  }
  if (reader.left() != 0) reader.Reject("extra bytes after the frames");
  if (offset + index.size() != pack_bytes) {
    reader.Reject(fmt::format("frames and index have {} bytes, but the pack has {}",
                              offset + index.size(), pack_bytes));
  }
  KINETIC_RETURN_IF_ERROR(reader.status());
  return frames;
}

std::uint32_t Pack::Add(Buffer frame, const Digest& digest, std::uint32_t content_bytes) {
  const std::size_t stored_bytes = frame.size();
  return Append({std::move(frame), false}, digest, stored_bytes, content_bytes);
}

std::uint32_t Pack::AddRaw(Buffer content, const Digest& digest) {
  const std::size_t content_bytes = content.size();
  return Append({std::move(content), true}, digest, RawFrameBytes(content_bytes), content_bytes);
}

std::uint32_t Pack::Append(Piece piece, const Digest& digest, std::size_t stored_bytes,
                           std::size_t content_bytes) {
  if (frames_.empty()) list_hash_.Update(kListHeader);
  std::string lengths;
  PutVarint(lengths, stored_bytes);
  PutVarint(lengths, content_bytes);
  list_hash_.Update(lengths).Update(digest.View());
  frames_.push_back({size_bytes_, static_cast<std::uint32_t>(stored_bytes),
                     static_cast<std::uint32_t>(content_bytes)});
  size_bytes_ += stored_bytes;
  pieces_.push_back(std::move(piece));
  return static_cast<std::uint32_t>(frames_.size() - 1);
}

void Pack::Close() {
  pieces_.push_back({Buffer::Copy(EncodePackIndex(frames_)), false});
  size_bytes_ += pieces_.back().bytes.size();
  digest_ = list_hash_.Finish();
}

Status Pack::Rewind() {
  next_ = raw_position_ = 0;
  return {};
}

Result<std::string_view> Pack::Next() {
  if (next_ == pieces_.size()) return std::string_view();
  const Piece& piece = pieces_[next_];
  if (piece.raw) return NextRawPart(piece.bytes.view());
  ++next_;
  return piece.bytes.view();
}

std::string_view Pack::NextRawPart(std::string_view content) {
  const std::size_t block = raw_position_ / 2;
  if (raw_position_++ % 2 == 0) {
    header_ = RawBlockHeader(content.size(), block);
    return header_;
  }
  if ((block + 1) * kRawBlockBytes >= content.size()) {
    ++next_;
    raw_position_ = 0;
  }
  return content.substr(block * kRawBlockBytes, kRawBlockBytes);
}

}  // namespace kinetic::bundle
