#include "base/strings.h"

#include <algorithm>

namespace kinetic {
namespace {

/// Returns the length of the well-formed UTF-8 sequence at the start of `text`, or 0.
std::size_t SequenceLength(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : (lead & 0xF0) == 0xE0        ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = at(1);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
    return 0;
  }
  return length;
}

void AppendHex(std::string& text, unsigned number, int digits) {
  static constexpr char kDigits[] = "0123456789abcdef";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    text += kDigits[(number >> shift) & 15];
}

/// Returns the character of a sequence of two or three bytes, and 0 for the others, of which none
/// is unsafe.
unsigned Decode(std::string_view sequence) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]) & 0x3FU; };
  if (sequence.size() == 2) return ((at(0) & 0x1FU) << 6) | at(1);
  if (sequence.size() == 3) return ((at(0) & 0x0FU) << 12) | (at(1) << 6) | at(2);
  return 0;
}

/// Returns whether a character above U+007F is a C1 control, ends a line, or changes the direction
/// of text.
bool IsUnsafe(unsigned character) {
  return (character >= 0x80 && character <= 0x9F) || character == 0x2028 || character == 0x2029 ||
         (character >= 0x202A && character <= 0x202E) ||
         (character >= 0x2066 && character <= 0x2069);
}

std::string Escaped(std::string_view text, std::string_view kept) {
  std::string printable;
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = SequenceLength(text);
    const bool escaped = lead < 0x20 || lead == 0x7F;
    if (length == 0 || (escaped && kept.find(text.front()) == std::string_view::npos)) {
      AppendHex(printable += "\\x", lead, 2);
    } else if (IsUnsafe(Decode(text.substr(0, length)))) {
      AppendHex(printable += "\\u", Decode(text.substr(0, length)), 4);
    } else {
      printable += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return printable;
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace kinetic

namespace kinetic::inline v0 {

std::string Printable(std::string_view text) { return Escaped(text, {}); }

std::string PrintableLines(std::string_view text) { return Escaped(text, "\n\t"); }

}  // namespace kinetic::inline v0
