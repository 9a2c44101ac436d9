#include "pod/log_line.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "base/time/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <utility>

namespace kinetic::pod {
namespace {

constexpr std::string_view kEndPrefix = "end ";
constexpr std::array<std::pair<char, Stream>, 3> kStreams{
    {{'o', Stream::kStdout}, {'e', Stream::kStderr}, {'s', Stream::kSystem}}};
/// Separates the texts of records in one line.
constexpr char kSeparator = '\r';
/// The bit that differs between capital and small letters.
constexpr char kCaseBit = 'a' ^ 'A';
/// Longest first, so that the first match is correct.
constexpr std::array<std::pair<char, std::string_view>, 4> kLineEnds{
    {{'c', "\r\n"}, {'n', "\n"}, {'r', "\r"}, {'-', ""}}};

/// Removes the next word from `rest`.
std::string_view TakeWord(std::string_view& rest) {
  const std::size_t blank = rest.find(' ');
  const std::string_view word = rest.substr(0, blank);
  rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
  return word;
}

template <typename Number>
std::optional<Number> ParseNumber(std::string_view word) {
  Number number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<Stream> ParseStream(char letter) {
  for (const auto& [name, stream] : kStreams) {
    if (name == letter) return stream;
  }
  return std::nullopt;
}

std::optional<std::string_view> ParseLineEnd(char letter) {
  for (const auto& [name, end] : kLineEnds) {
    if (name == letter) return end;
  }
  return std::nullopt;
}

std::optional<EndLine> ParseEnd(std::string_view rest) {
  EndLine end;
  end.nonce = TakeWord(rest);
  end.outcome = TakeWord(rest);
  end.result_sha256 = TakeWord(rest);
  if (end.result_sha256.empty() || !rest.empty()) return std::nullopt;
  return end;
}

char LetterOf(Stream stream) {
  for (const auto& [letter, which] : kStreams) {
    if (which == stream) return letter;
  }
  return 's';
}

/// The fields of a line before the text.
struct LineHead {
  LogRecord first;
  std::string_view end;
  bool shared = false;
};

/// Removes the head from a line. Returns nullopt if there is none.
std::optional<LineHead> TakeLineHead(std::string_view& line) {
  const auto sequence = ParseNumber<std::uint64_t>(TakeWord(line));
  const auto attempt = ParseNumber<std::uint32_t>(TakeWord(line));
  const std::string_view kind = TakeWord(line);
  const auto micros = ParseNumber<std::int64_t>(TakeWord(line));
  if (!sequence || !attempt || kind.size() != 2 || !micros) return std::nullopt;
  const bool shared = (kind[0] & kCaseBit) == 0;
  const auto stream = ParseStream(static_cast<char>(kind[0] | kCaseBit));
  const auto end = ParseLineEnd(kind[1]);
  if (!stream || !end) return std::nullopt;
  LineHead head{{}, *end, shared};
  head.first.sequence = *sequence;
  head.first.attempt = *attempt;
  head.first.stream = *stream;
  head.first.time = FromMicros(*micros);
  return head;
}

}  // namespace

bool LogLineWriter::MayShare(const std::string& out, const LogRecord& record, std::string_view body,
                             std::string_view end) const {
  return may_share_ && !out.empty() && out.size() == written_size_ &&
         record.sequence == last_.sequence + 1 && record.attempt == last_.attempt &&
         record.stream == last_.stream && record.time == last_.time && end == end_ &&
         out.size() - line_ + body.size() < kSharedLineBytes;
}

void LogLineWriter::Append(std::string& out, const LogRecord& record) {
  const auto* const kind = std::ranges::find_if(
      kLineEnds, [&](const auto& each) { return record.text.ends_with(each.second); });
  const auto [letter, end] = *kind;
  const std::string_view body = record.text.substr(0, record.text.size() - end.size());
  const bool is_plain = body.find(kSeparator) == std::string_view::npos;
  if (is_plain && MayShare(out, record, body, end)) {
    out[letter_] = static_cast<char>(LetterOf(record.stream) & ~kCaseBit);
    out.back() = kSeparator;
  } else {
    line_ = out.size();
    fmt::format_to(std::back_inserter(out), "{} {} ", record.sequence, record.attempt);
    letter_ = out.size();
    fmt::format_to(std::back_inserter(out), "{}{} {} ", LetterOf(record.stream), letter,
                   ToMicros(record.time));
  }
  out.append(body).push_back('\n');
  last_ = record;
  end_ = end;
  may_share_ = is_plain;
  written_size_ = out.size();
}

void AppendEndLine(std::string& out, const EndLine& end) {
  fmt::format_to(std::back_inserter(out), "{}{} {} {}\n", kEndPrefix, end.nonce, end.outcome,
                 end.result_sha256);
}

Result<std::optional<EndLine>> LogLineReader::Read(std::string_view line,
                                                   const LogRecordSink& each) {
  if (line.starts_with(kEndPrefix)) return ParseEnd(line.substr(kEndPrefix.size()));
  const auto head = TakeLineHead(line);
  if (!head) return std::optional<EndLine>();
  LogRecord record = head->first;
  for (bool more = true; more; ++record.sequence) {
    const std::size_t length = head->shared ? line.find(kSeparator) : std::string_view::npos;
    more = length != std::string_view::npos;
    text_.assign(line.substr(0, length)).append(head->end);
    record.text = text_;
    KINETIC_RETURN_IF_ERROR(each(record));
    if (more) line.remove_prefix(length + 1);
  }
  return std::optional<EndLine>();
}

}  // namespace kinetic::pod
