#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace kinetic::cli
