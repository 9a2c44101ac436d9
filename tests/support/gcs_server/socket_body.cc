#include "base/strings.h"
#include "support/gcs_server/socket.h"

#include <algorithm>
#include <charconv>

namespace kinetic::gcs_server {

SocketBody::SocketBody(Socket& socket, const Request& request)
    : socket_(socket), continue_wanted_(ToLower(request.Header("Expect")) == "100-continue") {
  const std::string coding = ToLower(request.Header("Transfer-Encoding"));
  chunked_ = coding == "chunked";
  const auto length = request.headers.Get("Content-Length");
  // Both allow request smuggling through proxies, so Google's front end rejects them, too.
  well_formed_ = (coding.empty() || chunked_) && !(chunked_ && length);
  if (length) {
    const auto bytes = ParseInt(*length);
    well_formed_ = well_formed_ && bytes && *bytes >= 0;
    if (well_formed_) left_bytes_ = length_bytes_ = static_cast<std::uint64_t>(*bytes);
  }
  ended_ = !chunked_ && left_bytes_ == 0;
}

std::optional<std::uint64_t> SocketBody::size_bytes() const {
  return chunked_ ? std::nullopt : std::optional(length_bytes_);
}

BodySource::Piece SocketBody::Read(std::span<char> buffer) {
  if (ended_) return {State::kEnd, 0};
  if (std::exchange(continue_wanted_, false) && !socket_.Send("HTTP/1.1 100 Continue\r\n\r\n")) {
    return {State::kLost, 0};
  }
  if (chunked_ && left_bytes_ == 0) {
    if (!NextChunk()) return {State::kLost, 0};
    if (ended_) return {State::kEnd, 0};
  }
  return ReadFramed(buffer);
}

BodySource::Piece SocketBody::ReadFramed(std::span<char> buffer) {
  const auto wanted = std::min<std::uint64_t>(buffer.size(), left_bytes_);
  const std::size_t count = socket_.Read(buffer.first(static_cast<std::size_t>(wanted)));
  if (count == 0) return {State::kLost, 0};
  left_bytes_ -= count;
  if (!chunked_ && left_bytes_ == 0) ended_ = true;
  return {State::kMore, count};
}

bool SocketBody::NextChunk() {
  if (!std::exchange(first_chunk_, false)) {
    const auto end = socket_.ReadLine();
    if (!end || !end->empty()) return false;
  }
  const auto line = socket_.ReadLine();
  if (!line) return false;
  const std::string_view size = Trim(std::string_view(*line).substr(0, line->find(';')));
  const auto parsed = std::from_chars(size.data(), size.data() + size.size(), left_bytes_, 16);
  if (size.empty() || parsed.ec != std::errc() || parsed.ptr != size.data() + size.size()) {
    return false;
  }
  if (left_bytes_ > 0) return true;
  ended_ = true;
  std::optional<std::string> trailer;
  while ((trailer = socket_.ReadLine()) && !trailer->empty()) {
  }
  return trailer.has_value();
}

}  // namespace kinetic::gcs_server
