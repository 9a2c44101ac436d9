#pragma once

#include "kinetic/result.h"

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

  /// Returns nullopt if `text` is not a version.
  static std::optional<Version> Parse(std::string_view text);
  /// Returns the normal form: "1.0rc1" for "v1.0-RC.1".
  std::string ToString() const;
  bool IsPrerelease() const { return pre || dev; }
  Version WithoutLocal() const;

  std::strong_ordering operator<=>(const Version& other) const;
  bool operator==(const Version& other) const { return (*this <=> other) == 0; }
};

/// One clause of a version specifier: ">=1.0".
struct Specifier {
  enum class Operator : std::uint8_t {
    kCompatible,  ///< ~=
    kEqual,       ///< ==, with wildcard: ==1.*
    kNotEqual,
    kLessEqual,
    kGreaterEqual,
    kLess,
    kGreater,
    kArbitrary,  ///< ===
  };

  Operator op = Operator::kEqual;
  std::string text;  ///< the version in normal form, without ".*"; as written for ===
  Version version;   ///< not for ===
  bool wildcard = false;

  /// Removes and returns the operator at the start of `text`, or returns nullopt if there is none.
  static std::optional<Operator> ConsumeOperator(std::string_view& text);
  /// @errors  kInvalidArgument: "'1.x' is not a version".
  static Result<Specifier> Parse(Operator op, std::string_view version);
  std::string ToString() const;
  bool Matches(const Version& candidate) const;
};

/// Clauses that must all match. Without clauses, any version matches.
class SpecifierSet {
 public:
  /// @errors  kInvalidArgument.
  static Result<SpecifierSet> Parse(std::string_view text);

  const std::vector<Specifier>& clauses() const { return clauses_; }
  /// Returns the sorted clauses: "<2,>=1.0".
  std::string ToString() const;
  bool Matches(const Version& candidate) const;
  /// Returns the version if "==" or "===" specifies exactly one.
  std::optional<std::string> Pinned() const;

 private:
  std::vector<Specifier> clauses_;
};

/// Returns the minor version of a Python: "3.12" of "3.12.4".
std::string MinorVersion(std::string_view python);

}  // namespace kinetic::env
