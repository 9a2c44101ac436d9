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
