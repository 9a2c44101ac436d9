#include "output/text.h"

#include <algorithm>
#include <array>

namespace kinetic::cli {
namespace {

struct Range {
  char32_t first, last;
};

/// Zero-width characters: combining marks, joiners, variation selectors.
constexpr std::array<Range, 14> kNoColumn{{{0x0300, 0x036F},
                                           {0x0483, 0x0489},
                                           {0x0591, 0x05BD},
                                           {0x064B, 0x065F},
                                           {0x0E34, 0x0E3A},
                                           {0x1AB0, 0x1AFF},
                                           {0x1DC0, 0x1DFF},
                                           {0x200B, 0x200F},
                                           {0x20D0, 0x20FF},
                                           {0xFE00, 0xFE0F},
                                           {0xFE20, 0xFE2F},
                                           {0x1F3FB, 0x1F3FF},
                                           {0xE0001, 0xE007F},
                                           {0xE0100, 0xE01EF}}};

/// East Asian Wide and Fullwidth characters, and emoji that are wide by default.
/// @source  https://www.unicode.org/Public/UCD/latest/ucd/EastAsianWidth.txt
constexpr std::array<Range, 36> kTwoColumns{
    {{0x1100, 0x115F},  {0x231A, 0x231B}, {0x2329, 0x232A}, {0x23E9, 0x23EC}, {0x23F0, 0x23F0},
     {0x23F3, 0x23F3},  {0x25FD, 0x25FE}, {0x2614, 0x2615}, {0x2648, 0x2653}, {0x267F, 0x267F},
     {0x2693, 0x2693},  {0x26A1, 0x26A1}, {0x26AA, 0x26AB}, {0x26BD, 0x26BE}, {0x26C4, 0x26C5},
     {0x26CE, 0x26CE},  {0x26D4, 0x26D4}, {0x26EA, 0x26EA}, {0x2705, 0x2705}, {0x270A, 0x270B},
     {0x2728, 0x2728},  {0x274C, 0x274C}, {0x2753, 0x2755}, {0x2757, 0x2757}, {0x2795, 0x2797},
     {0x2B1B, 0x2B1C},  {0x2B50, 0x2B50}, {0x2E80, 0x303E}, {0x3041, 0xA4CF}, {0xA960, 0xA97F},
     {0xAC00, 0xD7A3},  {0xF900, 0xFAFF}, {0xFE30, 0xFE6F}, {0xFF01, 0xFF60}, {0xFFE0, 0xFFE6},
     {0x1F300, 0x3FFFD}}};

template <std::size_t N>
bool IsIn(const std::array<Range, N>& ranges, char32_t character) {
  const auto next = std::ranges::upper_bound(ranges, character, {}, &Range::first);
  return next != ranges.begin() && character <= std::prev(next)->last;
}

/// Characters from U+1F300 on that are drawn as text.
constexpr std::array<Range, 3> kOneColumn{
    {{0x1F650, 0x1F67F}, {0x1F700, 0x1F7DF}, {0x1F800, 0x1F90B}}};

std::size_t ColumnsOf(char32_t character) {
  if (character < 0x0300) return 1;
  if (IsIn(kNoColumn, character)) return 0;
  return IsIn(kTwoColumns, character) && !IsIn(kOneColumn, character) ? 2 : 1;
}

}  // namespace

DisplayCharacter FirstCharacter(std::string_view text) {
  const DecodedCharacter first = DecodeCharacter(text);
  return {first.bytes, first.character ? ColumnsOf(*first.character) : first.bytes};
}

std::size_t DisplayWidth(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const DisplayCharacter first = FirstCharacter(text);
    columns += first.columns;
    text.remove_prefix(first.bytes);
  }
  return columns;
}

}  // namespace kinetic::cli
