#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kinetic::bundle {

/// A compiled wildcard pattern, with the semantics of a git ignore file.
///
/// `*` and `?` match bytes other than '/'. `[a-z]`, `[!a]`, `[^a]` and `[[:alpha:]]` are sets of
/// bytes, never '/'. `**` between slashes or at an end of the pattern matches zero or more folders;
/// elsewhere it equals `*`. A backslash escapes the next byte. Matching is case-sensitive.
///
/// @source https://git-scm.com/docs/gitignore
class Wildcard {
 public:
  /// Returns nullopt if the pattern is malformed: an unclosed set, an unknown class, or a trailing
  /// backslash.
  static std::optional<Wildcard> Compile(std::string_view pattern);

  /// Returns whether the whole of `text` matches. Takes time proportional to the product of both
  /// lengths and, with `**`, additionally to the length of the text.
  bool Matches(std::string_view text) const;

 private:
  enum class Kind : std::uint8_t {
    kByte,     ///< this byte
    kAny,      ///< one byte except '/'
    kSet,      ///< one byte of a set
    kStar,     ///< any bytes except '/'
    kAnyPath,  ///< any bytes
    kFolders,  ///< nothing, or any bytes that end with '/'
  };
  struct Token {
    Kind kind;
    unsigned char byte;
    std::uint32_t set;
  };
  struct Position {
    std::size_t token = 0;
    std::size_t text = 0;
  };
  class Parser;

  bool MatchesByte(const Token& token, unsigned char byte) const;
  static bool Extend(Position& star, Kind kind, std::string_view text);

  std::vector<Token> tokens_;
  std::vector<std::bitset<256>> sets_;
};

/// Returns the length of a pattern's literal prefix.
std::size_t LiteralLength(std::string_view pattern);

}  // namespace kinetic::bundle
