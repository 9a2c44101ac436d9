#include "kinetic/printable.h"

#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace kinetic::cli {
namespace {

constexpr std::string_view kColorsOff = "\x1b[0m";
constexpr std::size_t kMaxColorSequence = 64;
constexpr std::size_t kMaxColors = 256;

std::uint8_t ByteAt(std::string_view text, std::size_t at) {
  return static_cast<std::uint8_t>(text[at]);
}

/// Returns the length of the sequence that a lead byte announces, or 0.
std::size_t SequenceLength(std::uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/// Returns whether the character is encoded in its shortest form and exists.
bool IsWellFormed(char32_t character, std::size_t length) {
  constexpr std::array<char32_t, 5> kFirst = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = character >= 0xD800 && character <= 0xDFFF;
  return character >= kFirst.at(length) && character <= 0x10FFFF && !surrogate;
}

bool IsUnsafe(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029 ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

bool IsSafe(const DecodedCharacter& first) {
  return first.character && !IsUnsafe(*first.character);
}

/// Appends the first character of `text`, which is unsafe.
void AppendEscaped(std::string_view text, const DecodedCharacter& first, std::string& out) {
  if (first.character && *first.character > 0x7F) {
    out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(*first.character));
  } else {
    out += fmt::format("\\x{:02x}", ByteAt(text, 0));
  }
}

/// Returns whether `text` is the beginning of a character, and nothing else.
bool IsIncompleteCharacter(std::string_view text) {
  const std::size_t length = SequenceLength(ByteAt(text, 0));
  if (text.size() >= length) return false;
  return std::all_of(text.begin() + 1, text.end(),
                     [](char c) { return (static_cast<std::uint8_t>(c) & 0xC0U) == 0x80; });
}

struct ColorSequence {
  std::size_t bytes = 0;  ///< 0: the text does not begin with a color sequence
  bool incomplete = false;
};

/// Reads ESC [ parameters m.
ColorSequence ReadColor(std::string_view text) {
  constexpr std::string_view kBegin = "\x1b[";
  const std::string_view begin = text.substr(0, kBegin.size());
  if (!kBegin.starts_with(begin) || begin.empty()) return {};
  const std::size_t end = text.find_first_not_of("0123456789;:", begin.size());
  if (end == std::string_view::npos) return {.incomplete = text.size() < kMaxColorSequence};
  if (text[end] != 'm' || end >= kMaxColorSequence) return {};
  return {.bytes = end + 1};
}

}  // namespace

DecodedCharacter DecodeCharacter(std::string_view text) {
  if (text.empty()) return {};
  const std::uint8_t lead = ByteAt(text, 0);
  const std::size_t length = SequenceLength(lead);
  if (length == 1) return {1, char32_t{lead}};
  if (length == 0 || text.size() < length) return {1, std::nullopt};
  char32_t character = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const std::uint8_t next = ByteAt(text, i);
    if ((next & 0xC0U) != 0x80U) return {1, std::nullopt};
    character = (character << 6U) | (next & 0x3FU);
  }
  if (!IsWellFormed(character, length)) return {1, std::nullopt};
  return {length, character};
}

std::string SafeLine(std::string_view text) { return Printable(text); }

std::string SafeLines(std::string_view text) { return PrintableLines(text); }

std::string SafeJson(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const DecodedCharacter first = DecodeCharacter(json);
    if (IsSafe(first) || json[0] == '\n') {
      out += json.substr(0, first.bytes);
    } else {
      // Unsafe characters are only in strings. JSON cannot express a byte that is not UTF-8.
      constexpr std::uint32_t kReplacement = 0xFFFD;
      out += fmt::format("\\u{:04x}", first.character.value_or(kReplacement) & 0xFFFFU);
    }
    json.remove_prefix(first.bytes);
  }
  return out;
}

void JobTextFilter::AddColor(std::string_view sequence, std::string& out) {
  out += sequence;
  const bool reset = sequence.find_first_of("123456789") == std::string_view::npos;
  if (reset) {
    colors_.clear();
  } else if (colors_.size() + sequence.size() <= kMaxColors) {
    colors_ += sequence;
  } else {
    colors_.assign(sequence);
  }
}

std::string JobTextFilter::Filter(std::string_view piece) {
  const std::string joined = incomplete_.append(piece);
  incomplete_.clear();
  std::string out = colors_;
  for (std::string_view rest = joined; !rest.empty();) {
    const ColorSequence color = ReadColor(rest);
    if (color.incomplete || IsIncompleteCharacter(rest)) {
      incomplete_ = rest;
      break;
    }
    if (color.bytes > 0) {
      AddColor(rest.substr(0, color.bytes), out);
      rest.remove_prefix(color.bytes);
      continue;
    }
    const DecodedCharacter first = DecodeCharacter(rest);
    if (rest[0] == '\n' && !colors_.empty()) {
      out += kColorsOff;
      colors_.clear();
    }
    if (IsSafe(first) || rest[0] == '\n' || rest[0] == '\t' || rest[0] == '\r') {
      out += rest.substr(0, first.bytes);
    } else {
      AppendEscaped(rest, first, out);
    }
    rest.remove_prefix(first.bytes);
  }
  if (!colors_.empty()) out += kColorsOff;
  return out;
}

std::string JobTextFilter::Finish() {
  const std::string rest = SafeLine(incomplete_);
  incomplete_.clear();
  colors_.clear();
  return rest;
}

}  // namespace kinetic::cli
