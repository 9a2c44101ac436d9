#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kinetic::env {

/// A version of a Python package.
///
/// @source  https://packaging.python.org/en/latest/specifications/version-specifiers/
struct Version {
  enum class Pre : std::uint8_t { kAlpha, kBeta, kCandidate };

  std::uint64_t epoch = 0;
  std::vector<std::uint64_t> release;  ///< as written: 1.0 has two parts
  std::optional<std::pair<Pre, std::uint64_t>> pre;
  std::optional<std::uint64_t> post;
  std::optional<std::uint64_t> dev;
  std::vector<std::variant<std::uint64_t, std::string>> local;

  /// Nothing: not a version.
  static std::optional<Version> Parse(std::string_view text);
  /// The normal form: "1.0rc1" for "v1.0-RC.1".
  std::string ToString() const;
  bool IsPrerelease() const { return pre || dev; }
  Version WithoutLocal() const;

  std::strong_ordering operator<=>(const Version& other) const;
  bool operator==(const Version& other) const { return (*this <=> other) == 0; }
};

}  // namespace kinetic::env
