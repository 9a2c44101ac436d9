#include "record/log/segment.h"

#include "kinetic/try.h"

#include "base/time/clock.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::record {
namespace {

constexpr std::string_view kMagic = "KLOG";
// Readers accept this version only: a new one makes the logs of earlier jobs unreadable.
constexpr std::uint32_t kLogSegmentVersion = 1;
constexpr std::size_t kHeaderBytes = 24;
constexpr std::size_t kVarintBytes = 3;  // enough for any valid length
/// Stream and time precede the text.
constexpr std::size_t kPrefixBytes = 1 + 8;
/// The year 2255: later than any valid time, and cannot overflow.
constexpr std::int64_t kLastMicros = 9'000'000'000'000'000;
constexpr std::uint64_t kMaxSequence = 1ULL << 62;

void AppendFixed(std::string& out, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(number >> (8 * i) & 0xff));
}

std::uint64_t ReadFixed(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return number;
}

void AppendVarint(std::string& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.push_back(static_cast<char>(number | 0x80));
  out.push_back(static_cast<char>(number));
}

enum class VarintState : std::uint8_t { kComplete, kIncomplete, kInvalid };

struct VarintRead {
  VarintState state = VarintState::kIncomplete;
  std::uint64_t number = 0;
  std::size_t length = 0;
};

VarintRead ReadVarint(std::string_view bytes) {
  VarintRead read;
  for (const char c : bytes.substr(0, kVarintBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    read.number |= std::uint64_t{byte & 0x7fU} << (7 * read.length);
    ++read.length;
    if (byte < 0x80) {
      read.state = VarintState::kComplete;
      return read;
    }
  }
  read.state = bytes.size() >= kVarintBytes ? VarintState::kInvalid : VarintState::kIncomplete;
  return read;
}

}  // namespace

std::string SegmentHeader(std::uint32_t attempt, std::uint64_t first_sequence) {
  std::string header(kMagic);
  AppendFixed(header, kLogSegmentVersion, 4);
  AppendFixed(header, attempt, 4);
  AppendFixed(header, 0, 4);
  AppendFixed(header, first_sequence, 8);
  return header;
}

void AppendRecord(std::string& out, Stream stream, std::int64_t time_micros,
                  std::string_view text) {
  AppendVarint(out, kPrefixBytes + text.size());
  out.push_back(static_cast<char>(stream));
  AppendFixed(out, static_cast<std::uint64_t>(time_micros), 8);
  out += text;
}

Failure SegmentParser::Damaged(std::string_view problem) const {
  return Fail(ErrorCode::kDataLoss, fmt::format("log segment: {} at offset {}", problem, offset_));
}

std::optional<std::uint64_t> SegmentParser::next_sequence() const {
  if (!header_read_) return std::nullopt;
  return next_;
}

Status SegmentParser::ReadHeader(std::string_view header) {
  if (!header.starts_with(kMagic)) return Damaged("not the start of a log segment");
  const std::uint64_t version = ReadFixed(header.substr(4, 4));
  if (version != kLogSegmentVersion) {
    return Damaged(fmt::format("unsupported version {}", version));
  }
  attempt_ = static_cast<std::uint32_t>(ReadFixed(header.substr(8, 4)));
  next_ = ReadFixed(header.substr(16, 8));
  if (next_ > kMaxSequence) return Damaged("invalid sequence number");
  header_read_ = true;
  return {};
}

/// Parses the first record of `bytes`. Returns its length, or 0 if it is incomplete.
Result<std::size_t> SegmentParser::ReadRecord(std::string_view bytes, const LogRecordSink& each) {
  const VarintRead length = ReadVarint(bytes);
  if (length.state == VarintState::kIncomplete) return 0U;
  if (length.state == VarintState::kInvalid || length.number < kPrefixBytes ||
      length.number > kPrefixBytes + kLogRecordBytes) {
    return Damaged("invalid record length");
  }
  if (bytes.size() - length.length < length.number) return 0U;
  const std::string_view body = bytes.substr(length.length, length.number);
  const auto stream = static_cast<unsigned char>(body[0]);
  if (stream < 1 || stream > 3) return Damaged("unknown stream");
  const auto time = static_cast<std::int64_t>(ReadFixed(body.substr(1, 8)));
  if (time < -kLastMicros || time > kLastMicros) return Damaged("invalid time");
  KINETIC_RETURN_IF_ERROR(each({.sequence = next_,
                                .attempt = attempt_,
                                .stream = static_cast<Stream>(stream),
                                .time = FromMicros(time),
                                .text = body.substr(kPrefixBytes)}));
  ++next_;
  return length.length + length.number;
}

Status SegmentParser::Feed(std::string_view bytes, const LogRecordSink& each) {
  std::string joined;
  if (!pending_.empty()) {
    joined = std::exchange(pending_, {});
    joined += bytes;
    bytes = joined;
  }
  if (!header_read_) {
    if (bytes.size() < kHeaderBytes) {
      pending_ = bytes;
      return {};
    }
    KINETIC_RETURN_IF_ERROR(ReadHeader(bytes.substr(0, kHeaderBytes)));
    bytes.remove_prefix(kHeaderBytes);
    offset_ += kHeaderBytes;
  }
  while (!bytes.empty()) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t length, ReadRecord(bytes, each));
    if (length == 0) break;
    bytes.remove_prefix(length);
    offset_ += length;
  }
  pending_ = bytes;
  return {};
}

}  // namespace kinetic::record
