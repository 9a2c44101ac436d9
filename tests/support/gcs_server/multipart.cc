#include "support/gcs_server/multipart.h"

#include "base/strings.h"

#include <string.h>

#include <algorithm>

namespace kinetic::gcs_server {
namespace {

constexpr std::size_t kMultipartPieceBytes = 256U << 10;
constexpr std::size_t kLineBytes = 64U << 10;

}  // namespace

std::optional<std::string> BoundaryOf(std::string_view content_type) {
  for (const std::string_view piece : Split(content_type, ';')) {
    const std::string_view parameter = Trim(piece);
    constexpr std::string_view kName = "boundary=";
    if (ToLower(parameter.substr(0, kName.size())) != kName) continue;
    std::string_view value = parameter.substr(kName.size());
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
        value.back() == value.front()) {
      value = value.substr(1, value.size() - 2);
    }
    if (!value.empty()) return std::string(value);
  }
  return std::nullopt;
}

MultipartReader::MultipartReader(BodySource& body, std::string_view boundary)
    : body_(body),
      delimiter_("\n--" + std::string(boundary)),
      held_("\n"),
      piece_(kMultipartPieceBytes) {
  // The first delimiter may be at the very start, as if preceded by a line end.
}

bool MultipartReader::Receive() {
  held_.erase(0, at_);
  at_ = 0;
  const auto piece = body_.Read(piece_);
  held_.append(piece_.data(), piece.size);
  return piece.state == State::kMore;
}

std::optional<std::string> MultipartReader::Line() {
  std::size_t end = 0;
  while ((end = Held().find('\n')) == std::string_view::npos) {
    if (Held().size() > kLineBytes || !Receive()) return std::nullopt;
  }
  std::string line(Held().substr(0, end));
  has_returns_ = line.ends_with('\r');
  if (has_returns_) line.pop_back();
  at_ += end + 1;
  return line;
}

std::optional<http::Headers> MultipartReader::NextPart() {
  std::size_t found = 0;
  while ((found = Held().find(delimiter_)) == std::string_view::npos) {
    // Skips a preamble, or the unread rest of a part.
    at_ += Held().size() - std::min(Held().size(), delimiter_.size());
    if (!Receive()) return std::nullopt;
  }
  at_ += found + delimiter_.size();
  const auto rest = Line();
  if (!rest || !Trim(*rest).empty()) return std::nullopt;
  http::Headers headers;
  while (true) {
    const auto line = Line();
    if (!line) return std::nullopt;
    if (line->empty()) break;
    const std::size_t colon = line->find(':');
    if (colon == std::string::npos) return std::nullopt;
    headers.Add(line->substr(0, colon), std::string(Trim(line->substr(colon + 1))));
  }
  in_part_ = true;
  return headers;
}

BodySource::Piece MultipartReader::Read(std::span<char> buffer) {
  if (!in_part_) return {State::kEnd, 0};
  while (true) {
    const std::string_view held = Held();
    const void* hit = ::memmem(held.data(), held.size(), delimiter_.data(), delimiter_.size());
    std::size_t safe = hit != nullptr
                           ? static_cast<std::size_t>(static_cast<const char*>(hit) - held.data())
                           : held.size() - std::min(held.size(), delimiter_.size());
    // The carriage return before a delimiter belongs to it if header lines have one. gcloud ends
    // lines without it; then it belongs to the content.
    if (has_returns_ && hit != nullptr && safe > 0 && held[safe - 1] == '\r') --safe;
    if (safe > 0) {
      const std::size_t count = std::min(safe, buffer.size());
      std::copy_n(held.data(), count, buffer.data());
      at_ += count;
      return {State::kMore, count};
    }
    if (hit != nullptr) {
      in_part_ = false;
      return {State::kEnd, 0};
    }
    if (!Receive()) return {State::kLost, 0};
  }
}

}  // namespace kinetic::gcs_server
