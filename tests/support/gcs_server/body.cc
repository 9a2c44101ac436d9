#include "support/gcs_server/body.h"

#include <algorithm>
#include <vector>

namespace kinetic::gcs_server {

BodySource::Piece Fill(BodySource& body, std::span<char> buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const auto piece = body.Read(buffer.subspan(filled));
    if (piece.state != BodySource::State::kMore) return {piece.state, filled};
    filled += piece.size;
  }
  return {BodySource::State::kMore, filled};
}

std::optional<std::string> ReadAll(BodySource& body, std::size_t limit) {
  std::string all;
  std::vector<char> buffer(64U << 10);
  while (true) {
    const auto piece = body.Read(buffer);
    if (piece.state == BodySource::State::kEnd) return all;
    if (piece.state == BodySource::State::kLost || all.size() + piece.size > limit) {
      return std::nullopt;
    }
    all.append(buffer.data(), piece.size);
  }
}

bool Drain(BodySource& body) {
  std::vector<char> buffer(256U << 10);
  BodySource::Piece piece;
  while (piece.state == BodySource::State::kMore) piece = body.Read(buffer);
  return piece.state == BodySource::State::kEnd;
}

BodySource::Piece StringBody::Read(std::span<char> buffer) {
  const std::size_t count = std::min(buffer.size(), bytes_.size() - read_);
  if (count == 0) return {State::kEnd, 0};
  std::copy_n(bytes_.data() + read_, count, buffer.data());
  read_ += count;
  return {State::kMore, count};
}

}  // namespace kinetic::gcs_server
