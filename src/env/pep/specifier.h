#pragma once

#include "kinetic/result.h"

#include "env/pep/version.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

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

  /// The operator at the start of `text`, which is then without it; nothing if there is none.
  static std::optional<Operator> TakeOperator(std::string_view& text);
  /// @errors  kInvalidArgument: "'1.x' is not a version".
  static Result<Specifier> Make(Operator op, std::string_view version);
  std::string ToString() const;
  bool Matches(const Version& candidate) const;
};

/// Clauses that must all hold; none: any version.
class SpecifierSet {
 public:
  /// @errors  kInvalidArgument.
  static Result<SpecifierSet> Parse(std::string_view text);

  const std::vector<Specifier>& clauses() const { return clauses_; }
  /// Clauses sorted, "<2,>=1.0".
  std::string ToString() const;
  bool Matches(const Version& candidate) const;
  /// The version, when "==" or "===" names exactly one.
  std::optional<std::string> Pinned() const;

 private:
  std::vector<Specifier> clauses_;
};

}  // namespace kinetic::env
