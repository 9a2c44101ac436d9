#include "bundle/ignore/wildcard.h"

#include <array>
#include <string>
#include <utility>

namespace kinetic::bundle {
namespace {

using Set = std::bitset<256>;

bool IsUpper(unsigned c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(unsigned c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(unsigned c) { return c >= '0' && c <= '9'; }
bool IsAlpha(unsigned c) { return IsUpper(c) || IsLower(c); }
bool IsAlnum(unsigned c) { return IsAlpha(c) || IsDigit(c); }
bool IsGraph(unsigned c) { return c > ' ' && c < 127; }
bool IsHex(unsigned c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

using Class = std::pair<std::string_view, bool (*)(unsigned)>;

constexpr std::array kClasses = {
    Class{"alnum", IsAlnum},
    Class{"alpha", IsAlpha},
    Class{"blank", [](unsigned c) { return c == ' ' || c == '\t'; }},
    Class{"cntrl", [](unsigned c) { return c < ' ' || c == 127; }},
    Class{"digit", IsDigit},
    Class{"graph", IsGraph},
    Class{"lower", IsLower},
    Class{"print", [](unsigned c) { return c == ' ' || IsGraph(c); }},
    Class{"punct", [](unsigned c) { return IsGraph(c) && !IsAlnum(c); }},
    Class{"space", [](unsigned c) { return c == ' ' || (c >= '\t' && c <= '\r'); }},
    Class{"upper", IsUpper},
    Class{"xdigit", IsHex},
};

bool AddClass(Set& set, std::string_view name) {
  for (const auto& [known, contains] : kClasses) {
    if (known != name) continue;
    for (unsigned c = 0; c < 256; ++c) set[c] = set[c] || contains(c);
    return true;
  }
  return false;
}

}  // namespace

class Wildcard::Parser {
 public:
  explicit Parser(std::string_view pattern) : pattern_(pattern) {}

  bool Parse(Wildcard& out) {
    while (!AtEnd()) {
      switch (Peek()) {
        case '*':
          out.tokens_.push_back({ParseStars(), 0, 0});
          break;
        case '?':
          ++at_;
          out.tokens_.push_back({Kind::kAny, 0, 0});
          break;
        case '[': {
          ++at_;
          auto set = ParseSet();
          if (!set) return false;
          out.tokens_.push_back({Kind::kSet, 0, static_cast<std::uint32_t>(out.sets_.size())});
          out.sets_.push_back(*set);
          break;
        }
        default: {
          const auto byte = ParseByte();
          if (!byte) return false;
          out.tokens_.push_back({Kind::kByte, *byte, 0});
        }
      }
    }
    return true;
  }

 private:
  bool AtEnd() const { return at_ >= pattern_.size(); }
  unsigned char Peek(std::size_t ahead = 0) const {
    return at_ + ahead < pattern_.size() ? static_cast<unsigned char>(pattern_[at_ + ahead]) : 0;
  }

  std::optional<unsigned char> ParseByte() {
    if (Peek() == '\\') ++at_;
    if (AtEnd()) return std::nullopt;
    return static_cast<unsigned char>(pattern_[at_++]);
  }

  Kind ParseStars() {
    const bool at_start = at_ == 0 || pattern_[at_ - 1] == '/';
    const std::size_t begin = at_;
    while (Peek() == '*') ++at_;
    if (at_ - begin < 2 || !at_start) return Kind::kStar;
    if (Peek() == '/') {
      ++at_;
      return Kind::kFolders;
    }
    if (AtEnd() || (Peek() == '\\' && Peek(1) == '/')) return Kind::kAnyPath;
    return Kind::kStar;
  }

  /// Parses the class name between "[:" and ":]". Returns nullopt if there is none.
  std::optional<std::string_view> ParseClassName() {
    const std::size_t close = pattern_.find(']', at_ + 2);
    if (close == std::string_view::npos || close < at_ + 3 || pattern_[close - 1] != ':') {
      return std::nullopt;
    }
    const auto name = pattern_.substr(at_ + 2, close - at_ - 3);
    at_ = close + 1;
    return name;
  }

  /// Parses one member of a set: a class, a range's end or a byte. Returns false if malformed.
  bool ParseMember(Set& set, unsigned& previous) {
    if (Peek() == '-' && previous != 0 && Peek(1) != 0 && Peek(1) != ']') {
      ++at_;
      const auto last = ParseByte();
      if (!last) return false;
      for (unsigned c = previous; c <= *last; ++c) set.set(c);
      previous = 0;
      return true;
    }
    if (Peek() == '[' && Peek(1) == ':') {
      if (const auto name = ParseClassName()) {
        previous = 0;
        return AddClass(set, *name);
      }
    }
    const auto byte = ParseByte();
    if (!byte) return false;
    set.set(*byte);
    previous = *byte;
    return true;
  }

  std::optional<Set> ParseSet() {
    const bool negated = Peek() == '!' || Peek() == '^';
    if (negated) ++at_;
    Set set;
    unsigned previous = 0;
    do {  // a ']' that comes first is a member
      if (AtEnd() || !ParseMember(set, previous)) return std::nullopt;
    } while (Peek() != ']');
    ++at_;
    if (negated) set.flip();
    set.reset('/');
    return set;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
};

std::optional<Wildcard> Wildcard::Compile(std::string_view pattern) {
  Wildcard compiled;
  if (!Parser(pattern).Parse(compiled)) return std::nullopt;
  return compiled;
}

bool Wildcard::MatchesByte(const Token& token, unsigned char byte) const {
  switch (token.kind) {
    case Kind::kByte:
      return token.byte == byte;
    case Kind::kAny:
      return byte != '/';
    case Kind::kSet:
      return sets_[token.set].test(byte);
    default:
      return false;
  }
}

/// Extends the match of a star to the next longer part of `text`. Returns false if there is none.
bool Wildcard::Extend(Position& star, Kind kind, std::string_view text) {
  if (kind == Kind::kFolders) {
    const std::size_t slash = text.find('/', star.text);
    if (slash == std::string_view::npos) return false;
    star.text = slash + 1;
    return true;
  }
  if (star.text >= text.size()) return false;
  if (kind == Kind::kStar && text[star.text] == '/') return false;
  ++star.text;
  return true;
}

bool Wildcard::Matches(std::string_view text) const {
  // Most texts fail to match at their last byte.
  if (!tokens_.empty() && tokens_.back().kind <= Kind::kSet &&
      (text.empty() || !MatchesByte(tokens_.back(), static_cast<unsigned char>(text.back())))) {
    return false;
  }
  // Backtracking to the last star of each kind is sufficient. A `*` does not match slashes, so an
  // earlier one cannot match more than the last; and the last `**` can match whatever an earlier
  // one can.
  std::optional<Position> star;
  std::optional<Position> deep;
  Position at;
  for (;;) {
    if (at.token == tokens_.size() && at.text == text.size()) return true;
    if (at.token < tokens_.size()) {
      const Token& token = tokens_[at.token];
      if (token.kind == Kind::kStar || token.kind == Kind::kAnyPath ||
          token.kind == Kind::kFolders) {
        if (token.kind != Kind::kStar) star.reset();
        (token.kind == Kind::kStar ? star : deep) = at;
        ++at.token;
        continue;
      }
      if (at.text < text.size() && MatchesByte(token, static_cast<unsigned char>(text[at.text]))) {
        ++at.token;
        ++at.text;
        continue;
      }
    }
    if (star && !Extend(*star, Kind::kStar, text)) star.reset();
    if (!star) {
      if (!deep || !Extend(*deep, tokens_[deep->token].kind, text)) return false;
    }
    at = star ? *star : *deep;
    ++at.token;
  }
}

std::size_t LiteralLength(std::string_view pattern) {
  const std::size_t special = pattern.find_first_of("*?[\\");
  return special == std::string_view::npos ? pattern.size() : special;
}

}  // namespace kinetic::bundle
