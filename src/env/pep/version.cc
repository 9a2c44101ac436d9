#include "env/pep/version.h"

#include "base/strings.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace kinetic::env {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSeparator(char c) { return c == '.' || c == '-' || c == '_'; }

/// Parses a version from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }

  bool Consume(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<std::uint64_t> Number() {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }

  /// Reads "[-_.]?name[-_.]?number?"; a missing number is 0.
  std::optional<std::uint64_t> Labelled(std::string_view name) {
    std::string_view rest = rest_;
    if (!rest.empty() && IsSeparator(rest.front())) rest.remove_prefix(1);
    if (!rest.starts_with(name)) return std::nullopt;
    rest.remove_prefix(name.size());
    rest_ = rest;
    if (rest.size() > 1 && IsSeparator(rest[0]) && IsDigit(rest[1])) rest_.remove_prefix(1);
    if (rest_.empty() || !IsDigit(rest_.front())) return 0;
    return Number();
  }

  /// Reads the implicit post release, "1.0-1".
  std::optional<std::uint64_t> Dashed() {
    if (rest_.size() < 2 || rest_[0] != '-' || !IsDigit(rest_[1])) return std::nullopt;
    rest_.remove_prefix(1);
    return Number();
  }

  std::string_view Part() {
    const auto end = std::find_if(rest_.begin(), rest_.end(), IsSeparator);
    const std::string_view part = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(part.size());
    return part;
  }

  bool TakeSeparator() {
    if (rest_.empty() || !IsSeparator(rest_.front())) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool ReadRelease(Version& version) {
    auto number = Number();
    if (!number) return false;
    if (Consume('!')) {
      version.epoch = *number;
      number = Number();
      if (!number) return false;
    }
    version.release.push_back(*number);
    while (rest_.size() > 1 && rest_[0] == '.' && IsDigit(rest_[1])) {
      rest_.remove_prefix(1);
      number = Number();
      if (!number) return false;
      version.release.push_back(*number);
    }
    return true;
  }

  void ReadSuffixes(Version& version) {
    using enum Version::Pre;
    static constexpr std::array<std::pair<std::string_view, Version::Pre>, 8> kNames{
        {{"alpha", kAlpha},
         {"a", kAlpha},
         {"beta", kBeta},
         {"b", kBeta},
         {"preview", kCandidate},
         {"pre", kCandidate},
         {"rc", kCandidate},
         {"c", kCandidate}}};
    for (const auto& [name, kind] : kNames) {
      if (const auto number = Labelled(name)) {
        version.pre = {kind, *number};
        break;
      }
    }
    version.post = Dashed();
    for (const std::string_view name : {"post", "rev", "r"}) {
      if (!version.post) version.post = Labelled(name);
    }
    version.dev = Labelled("dev");
  }

  bool ReadLocal(Version& version) {
    if (!Consume('+')) return true;
    do {
      const std::string_view part = Part();
      if (part.empty() || !std::all_of(part.begin(), part.end(), [](char c) {
            return IsDigit(c) || (c >= 'a' && c <= 'z');
          })) {
        return false;
      }
      Reader number(part);
      const auto value =
          std::all_of(part.begin(), part.end(), IsDigit) ? number.Number() : std::nullopt;
      if (value) {
        version.local.emplace_back(*value);
      } else {
        version.local.emplace_back(std::string(part));
      }
    } while (TakeSeparator());
    return true;
  }

 private:
  std::string_view rest_;
};

/// Returns the rank of the pre-release part: 1.0.dev1 < 1.0a1 < 1.0.
std::pair<int, std::uint64_t> PreRank(const Version& version) {
  if (version.pre) return {static_cast<int>(version.pre->first), version.pre->second};
  return {version.dev && !version.post ? -1 : 3, 0};
}

std::strong_ordering CompareRelease(const std::vector<std::uint64_t>& a,
                                    const std::vector<std::uint64_t>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const auto order = (i < a.size() ? a[i] : 0) <=> (i < b.size() ? b[i] : 0);
    if (order != 0) return order;
  }
  return std::strong_ordering::equal;
}

std::strong_ordering CompareLocal(const Version& a, const Version& b) {
  for (std::size_t i = 0; i < std::min(a.local.size(), b.local.size()); ++i) {
    const auto& x = a.local[i];
    const auto& y = b.local[i];
    // Numbers sort after words.
    if (x.index() != y.index()) return y.index() <=> x.index();
    if (x < y) return std::strong_ordering::less;
    if (y < x) return std::strong_ordering::greater;
  }
  return a.local.size() <=> b.local.size();
}

}  // namespace

std::optional<Version> Version::Parse(std::string_view text) {
  const std::string lower = ToLower(Trim(text));
  Reader reader(lower);
  reader.Consume('v');
  Version version;
  if (!reader.ReadRelease(version)) return std::nullopt;
  reader.ReadSuffixes(version);
  if (!reader.ReadLocal(version) || !reader.AtEnd()) return std::nullopt;
  return version;
}

std::string Version::ToString() const {
  static constexpr std::array<std::string_view, 3> kPre{"a", "b", "rc"};
  std::string text = epoch != 0 ? std::to_string(epoch) + "!" : "";
  for (std::size_t i = 0; i < release.size(); ++i) {
    if (i > 0) text += '.';
    text += std::to_string(release[i]);
  }
  if (pre) {
    text += kPre[static_cast<std::size_t>(pre->first)];
    text += std::to_string(pre->second);
  }
  if (post) text += ".post" + std::to_string(*post);
  if (dev) text += ".dev" + std::to_string(*dev);
  for (std::size_t i = 0; i < local.size(); ++i) {
    text += i == 0 ? '+' : '.';
    const auto* number = std::get_if<std::uint64_t>(&local[i]);
    text += number != nullptr ? std::to_string(*number) : std::get<std::string>(local[i]);
  }
  return text;
}

Version Version::WithoutLocal() const {
  Version version = *this;
  version.local.clear();
  return version;
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  if (const auto order = epoch <=> other.epoch; order != 0) return order;
  if (const auto order = CompareRelease(release, other.release); order != 0) return order;
  if (const auto order = PreRank(*this) <=> PreRank(other); order != 0) return order;
  // No post release sorts before all post releases, no dev release after all dev releases.
  const auto post_rank = [](const Version& v) { return v.post ? *v.post + 1 : 0; };
  if (const auto order = post_rank(*this) <=> post_rank(other); order != 0) return order;
  const auto dev_rank = [](const Version& v) {
    return std::pair(v.dev ? 0 : 1, v.dev.value_or(0));
  };
  if (const auto order = dev_rank(*this) <=> dev_rank(other); order != 0) return order;
  return CompareLocal(*this, other);
}

std::string MinorVersion(std::string_view python) {
  const auto parts = Split(python, '.');
  return std::string(parts[0]) + (parts.size() > 1 ? "." + std::string(parts[1]) : "");
}

}  // namespace kinetic::env
