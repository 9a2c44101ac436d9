#include "pod/log_line.h"

#include "base/strings.h"
#include "base/time.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

namespace kinetic::pod {
namespace {

constexpr std::string_view kEnd = "end ";
constexpr std::array<std::pair<char, Stream>, 3> kStreams{
    {{'o', Stream::kStdout}, {'e', Stream::kStderr}, {'s', Stream::kSystem}}};
/// Longest first, so that the first that fits is right.
constexpr std::array<std::pair<char, std::string_view>, 4> kLineEnds{
    {{'c', "\r\n"}, {'n', "\n"}, {'r', "\r"}, {'-', ""}}};

/// The word up to the next blank, which is taken off `rest`.
std::string_view NextWord(std::string_view& rest) {
  const std::size_t blank = rest.find(' ');
  const std::string_view word = rest.substr(0, blank);
  rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
  return word;
}

template <typename Number>
std::optional<Number> NumberOf(std::string_view word) {
  Number number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

std::optional<Stream> StreamOf(char letter) {
  for (const auto& [name, stream] : kStreams) {
    if (name == letter) return stream;
  }
  return std::nullopt;
}

std::optional<std::string_view> LineEndOf(char letter) {
  for (const auto& [name, end] : kLineEnds) {
    if (name == letter) return end;
  }
  return std::nullopt;
}

ReadLine ParseEnd(std::string_view rest) {
  EndLine end;
  end.nonce = NextWord(rest);
  end.outcome = NextWord(rest);
  end.result_sha256 = NextWord(rest);
  if (end.result_sha256.empty() || !rest.empty()) return {};
  return {std::move(end)};
}

}  // namespace

void AppendLogLine(std::string& out, const LogRecord& record) {
  char stream = 's';
  for (const auto& [letter, which] : kStreams) {
    if (which == record.stream) stream = letter;
  }
  for (const auto& [letter, end] : kLineEnds) {
    if (!record.text.ends_with(end)) continue;
    fmt::format_to(std::back_inserter(out), "{} {} {}{} {} ", record.sequence, record.attempt,
                   stream, letter, ToMicros(record.time));
    out.append(record.text.substr(0, record.text.size() - end.size()));
    break;
  }
  out.push_back('\n');
}

void AppendEndLine(std::string& out, const EndLine& end) {
  fmt::format_to(std::back_inserter(out), "{}{} {} {}\n", kEnd, end.nonce, end.outcome,
                 end.result_sha256);
}

ReadLine ParseLogLine(std::string_view line, std::string& text) {
  if (line.starts_with(kEnd)) return ParseEnd(line.substr(kEnd.size()));
  std::string_view rest = line;
  const auto sequence = NumberOf<std::uint64_t>(NextWord(rest));
  const auto attempt = NumberOf<std::uint32_t>(NextWord(rest));
  const std::string_view kind = NextWord(rest);
  const auto micros = NumberOf<std::int64_t>(NextWord(rest));
  if (!sequence || !attempt || kind.size() != 2 || !micros) return {};
  const auto stream = StreamOf(kind[0]);
  const auto end = LineEndOf(kind[1]);
  if (!stream || !end) return {};
  text.assign(rest);
  text.append(*end);
  LogRecord record;
  record.sequence = *sequence;
  record.attempt = *attempt;
  record.stream = *stream;
  record.time = FromMicros(*micros);
  record.text = text;
  return {record};
}

}  // namespace kinetic::pod
