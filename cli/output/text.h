#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Text from elsewhere (a job, a server, a store, a file name) must not control the terminal or
/// forge lines of the output. Unsafe are control characters (C0, DEL, C1), line and paragraph
/// separators, bidirectional overrides and isolates, and bytes that are not UTF-8. They are shown
/// as \xNN for one byte and \uNNNN for a character above U+007F.

namespace kinetic::cli {

/// The first character of a text.
struct DecodedCharacter {
  std::size_t bytes = 0;
  std::optional<char32_t> character;  ///< nullopt: the first byte is not well-formed UTF-8
};
DecodedCharacter DecodeCharacter(std::string_view text);

/// Escapes all unsafe characters, including newlines and tabs.
std::string SafeLine(std::string_view text);

/// Like SafeLine, but keeps newlines and tabs, for text of several lines.
std::string SafeLines(std::string_view text);

/// Replaces unsafe characters in JSON text by \uNNNN escapes, which keeps its meaning. Newlines
/// between its tokens stay.
std::string SafeJson(std::string_view json);

/// Prepares a job's output for a terminal: color sequences (SGR), tabs, newlines and carriage
/// returns pass; everything else that is unsafe is escaped. Colors end with their line.
class JobTextFilter {
 public:
  /// Returns the next piece of the output. Keeps an incomplete character or color sequence at the
  /// end for the next call. Colors are off at the end of each piece and on again in the next one,
  /// so that other text can come in between.
  std::string Filter(std::string_view piece);
  /// Returns what the last piece left incomplete.
  std::string Finish();

 private:
  void AddColor(std::string_view sequence, std::string& out);

  std::string incomplete_;
  std::string colors_;  ///< the sequences since the last reset on this line
};

/// The first character of a text: its bytes and its width in terminal columns. Wide characters
/// (CJK, most emoji) take two columns, combining characters none. Each byte that is not valid UTF-8
/// takes one column.
struct DisplayCharacter {
  std::size_t bytes = 0;
  std::size_t columns = 0;
};
DisplayCharacter FirstCharacter(std::string_view text);

/// Returns the width of a text in terminal columns.
std::size_t DisplayWidth(std::string_view text);

using Time = std::chrono::system_clock::time_point;

/// A shorter phase without a detail to show ends without a line.
inline constexpr std::chrono::seconds kMinShownDuration{1};

/// Returns text such as "0 B" or "1.2 MiB".
std::string FormatBytes(std::uint64_t bytes);

/// Returns text such as "1 file, 12 B".
std::string FormatFiles(std::uint64_t files, std::uint64_t bytes);

/// Returns text such as "0.12s", "4.1s", "3m 12s", "2h 5m" or "3d 4h". Negative durations are 0.
std::string FormatDuration(std::chrono::nanoseconds duration);

/// Returns a coarser duration for tables: "12s", "3m", "2h", "3d".
std::string FormatAge(std::chrono::nanoseconds age);

enum class TimeZone : std::uint8_t { kUtc, kLocal };

/// Returns RFC 3339 with milliseconds: "2026-11-21T09:41:07.123Z", or with the local time zone
/// "2026-11-21T10:41:07.123+01:00".
std::string FormatTime(Time time, TimeZone zone = TimeZone::kUtc);

/// Returns at most `width` columns of a text. A longer text ends with "…" (or "...").
std::string Shortened(std::string_view text, std::size_t width, bool unicode);

/// Breaks a text between words into lines of at most `columns`. Lines after the first one begin with
/// `indent` spaces, and the first one is expected to be printed in that column.
std::string Wrapped(std::string_view text, std::size_t indent, std::size_t columns);

/// Same, but returns lines, and indents the first one too. 0 columns: one line.
std::vector<std::string> WrappedLines(std::string_view text, std::size_t indent,
                                      std::size_t columns);

/// Breaks the lines of a message between words into lines of at most `columns`; 0: does not. They
/// begin below the text after "error: " or a similar label. Keeps color codes, and lines that begin
/// with a space, such as those of a traceback.
std::string WrappedMessage(std::string_view lines, std::size_t columns);

/// Returns the width of a line without its color codes.
std::size_t VisibleWidth(std::string_view line);

/// Returns a message as one safe line: without newlines at its end, and with SafeLine's escapes.
std::string OneLine(std::string_view text);

}  // namespace kinetic::cli
