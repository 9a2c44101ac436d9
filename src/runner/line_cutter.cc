#include "runner/line_cutter.h"

#include "record/log_segment.h"

#include <cstring>

namespace kinetic::runner {
namespace {

bool ContinuesCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Where to cut a line of more than the limit: before the character that would not fit.
std::size_t CutPoint(std::string_view line) {
  std::size_t cut = record::kLogRecordBytes;
  constexpr std::size_t kMaxContinuation = 3;
  for (std::size_t i = 0; i < kMaxContinuation && ContinuesCharacter(line[cut]); ++i) --cut;
  return ContinuesCharacter(line[cut]) ? record::kLogRecordBytes : cut;
}

/// The length of the first record with its end, or 0 when it has none yet.
std::size_t RecordLength(std::string_view text) {
  const std::size_t newline = text.find('\n');
  const std::size_t end = newline == std::string_view::npos ? text.size() : newline;
  const void* found = std::memchr(text.data(), '\r', end);
  if (found == nullptr) return newline == std::string_view::npos ? 0 : newline + 1;
  const auto carriage = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
  if (carriage + 1 == text.size()) return 0;  // a newline may follow
  return text[carriage + 1] == '\n' ? carriage + 2 : carriage + 1;
}

/// Passes on the records in `text`; returns what is left.
std::string_view Cut(std::string_view text, const LineCutter::Each& each) {
  while (!text.empty()) {
    std::size_t length = RecordLength(text);
    if (length > record::kLogRecordBytes ||
        (length == 0 && text.size() > record::kLogRecordBytes)) {
      length = CutPoint(text);
    }
    if (length == 0) break;
    each(text.substr(0, length));
    text.remove_prefix(length);
  }
  return text;
}

}  // namespace

void LineCutter::Feed(std::string_view bytes, const Each& each) {
  if (rest_.empty()) {
    rest_ = Cut(bytes, each);
    return;
  }
  // Only the first line needs what was left; the rest of the piece is cut where it lies.
  const std::size_t newline = bytes.find('\n');
  const std::size_t take = newline == std::string_view::npos ? bytes.size() : newline + 1;
  rest_ += bytes.substr(0, take);
  const std::string_view left = Cut(rest_, each);
  if (!left.empty() || take == bytes.size()) {
    rest_.erase(0, rest_.size() - left.size());
    return;
  }
  rest_ = Cut(bytes.substr(take), each);
}

void LineCutter::Flush(const Each& each) {
  if (rest_.empty()) return;
  each(rest_);
  rest_.clear();
}

}  // namespace kinetic::runner
