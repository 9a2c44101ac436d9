#include "base/piecewise_sha256.h"

#include <string>
#include <utility>

namespace kinetic {

PiecewiseSha256::Stream::Stream()
    : state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

Digest PiecewiseSha256::Stream::Finish() {
  constexpr std::size_t kLengthBytes = 8;
  const std::uint64_t bits = bytes * 8;
  std::string padding(1, '\x80');
  const std::size_t over = (bytes + padding.size() + kLengthBytes) % kSha256BlockBytes;
  padding.resize(padding.size() + (kSha256BlockBytes - over) % kSha256BlockBytes);
  for (std::size_t i = kLengthBytes; i-- > 0;) padding += static_cast<char>(bits >> (8 * i));
  Update(*this, nullptr, padding);
  Digest digest;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    digest.bytes[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

PiecewiseSha256::PiecewiseSha256(bool use_instructions) {
  if (use_instructions) {
    instructed_.emplace();
  } else {
    portable_.emplace();
  }
}

void PiecewiseSha256::Update(Stream& one, Stream* other, std::string_view bytes) {
  const auto compress = [&](const char* blocks, std::size_t count) {
    if (other == nullptr) return CompressSha256(one.state, blocks, count);
    CompressSha256(one.state, other->state, blocks, count);
  };
  const auto keep = [&](std::string_view some) {
    for (Stream* stream : {&one, other}) {
      if (stream == nullptr) continue;
      some.copy(stream->pending.data() + stream->pending_bytes(), some.size());
      stream->bytes += some.size();
    }
  };
  if (one.pending_bytes() > 0) {
    const std::string_view head = bytes.substr(0, kSha256BlockBytes - one.pending_bytes());
    keep(head);
    if (one.pending_bytes() > 0) return;
    compress(one.pending.data(), 1);
    bytes.remove_prefix(head.size());
  }
  const std::size_t blocks = bytes.size() / kSha256BlockBytes;
  compress(bytes.data(), blocks);
  for (Stream* stream : {&one, other}) {
    if (stream != nullptr) stream->bytes += blocks * kSha256BlockBytes;
  }
  keep(bytes.substr(blocks * kSha256BlockBytes));
}

void PiecewiseSha256::Update(std::string_view bytes) {
  if (portable_) {
    portable_->whole.Update(bytes);
    portable_->piece.Update(bytes);
    return;
  }
  auto& [whole, piece] = *instructed_;
  if (is_first_) return Update(whole, nullptr, bytes);
  if (whole.pending_bytes() == piece.pending_bytes()) return Update(whole, &piece, bytes);
  Update(whole, nullptr, bytes);
  Update(piece, nullptr, bytes);
}

Digest PiecewiseSha256::EndPiece() {
  const bool is_first = std::exchange(is_first_, false);
  if (portable_) return portable_->piece.Finish();
  Stream ended = is_first ? instructed_->whole : std::exchange(instructed_->piece, {});
  return ended.Finish();
}

Digest PiecewiseSha256::Finish() {
  return portable_ ? portable_->whole.Finish() : instructed_->whole.Finish();
}

}  // namespace kinetic
