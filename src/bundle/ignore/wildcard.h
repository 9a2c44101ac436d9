#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace kinetic::bundle {

/// A compiled wildcard pattern, with the meaning that git gives it in an ignore file.
///
/// `*` and `?` stand for bytes other than '/'. `[a-z]`, `[!a]`, `[^a]` and `[[:alpha:]]` are sets
/// of bytes, never '/'. `**` between slashes or the pattern's ends stands for any folders, also
/// none; elsewhere it is `*`. A backslash takes the next byte as it is. Bytes are compared as they
/// are, upper and lower case differ.
///
/// @source https://git-scm.com/docs/gitignore
class Wildcard {
 public:
  /// Nothing when the pattern is malformed (an open set, an unknown class, a backslash at its end):
  /// such a pattern matches nothing.
  static std::optional<Wildcard> Compile(std::string_view pattern);

  /// Whether all of `text` matches. Takes time in proportion to the product of both lengths and,
  /// with `**`, the length of the text once more; never more.
  bool Matches(std::string_view text) const;

 private:
  enum class Kind : std::uint8_t {
    kByte,     ///< this byte
    kAny,      ///< one byte but '/'
    kSet,      ///< one byte of a set
    kStar,     ///< any bytes but '/'
    kAnyPath,  ///< any bytes
    kFolders,  ///< nothing, or any bytes with '/' at their end
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
  static bool Widen(Position& star, Kind kind, std::string_view text);

  std::vector<Token> tokens_;
  std::vector<std::bitset<256>> sets_;
};

/// The length of the part of a pattern that stands for itself.
std::size_t LiteralLength(std::string_view pattern);

}  // namespace kinetic::bundle
