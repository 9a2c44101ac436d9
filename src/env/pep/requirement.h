#pragma once

#include "kinetic/result.h"

#include "env/pep/version.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// The Python and platform for which a marker is evaluated.
struct MarkerEnvironment {
  std::map<std::string, std::string> variables;  ///< "python_version" → "3.12", …
  std::set<std::string> extras;                  ///< selected, normalized; for `extra == "x"`

  /// Returns the environment of CPython `python` ("3.12", taken as 3.12.0) on `platform`
  /// ("linux-x86_64"). platform_release and platform_version are empty.
  static MarkerEnvironment For(std::string_view python, std::string_view platform);
};

/// The condition after ';' of a requirement: `python_version < "3.12" and sys_platform == "linux"`.
///
/// @source  https://packaging.python.org/en/latest/specifications/dependency-specifiers/
class Marker {
 public:
  /// @errors  kInvalidArgument; the detail "offset" is the position of the error in `text`.
  static Result<Marker> Parse(std::string_view text);

  bool Evaluate(const MarkerEnvironment& environment) const;
  /// Returns the normal form: single spaces, double quotes, no redundant parentheses.
  std::string ToString() const;

  struct Node;

 private:
  explicit Marker(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

/// A node of a marker's syntax tree: a comparison, or operands joined by `and` or `or`.
struct Marker::Node {
  enum class Kind : std::uint8_t { kAnd, kOr, kCompare } kind = Kind::kCompare;
  std::vector<std::shared_ptr<const Node>> operands;  ///< of and, or
  struct Operand {
    bool variable = false;
    std::string text;
    std::string ToString() const {
      if (variable) return text;
      const char quote = text.find('"') == std::string::npos ? '"' : '\'';
      return quote + text + quote;
    }
  };
  Operand left, right;
  std::string op;
};

/// Parses a marker (PEP 508).
/// @errors  those of Marker::Parse.
Result<std::shared_ptr<const Marker::Node>> ParseMarker(std::string_view text);

/// Returns the normal form of a package, extra or group name: lower case, with runs of '-', '_' and
/// '.' replaced by one '-'.
///
/// @source  https://packaging.python.org/en/latest/specifications/name-normalization/
std::string NormalizedName(std::string_view name);

/// Returns whether `name` is a valid package name: ASCII letters, digits, '-', '_' and '.', with a
/// letter or digit at both ends.
bool IsPackageName(std::string_view name);

/// A PEP 508 dependency, with the hashes of a requirements file.
///
/// @source  https://packaging.python.org/en/latest/specifications/dependency-specifiers/
struct Requirement {
  std::string name;                 ///< normalized
  std::vector<std::string> extras;  ///< normalized, sorted
  SpecifierSet specifier;
  std::string url;  ///< of a direct reference; as written by Parse
  std::optional<Marker> marker;
  std::vector<std::string> hashes;  ///< "sha256:…", sorted

  /// Parses `name[extra] >= 1.0 ; marker` or `name @ url ; marker`.
  /// @errors  kInvalidArgument; the detail "offset" is the position in `text`. The message contains
  ///          no URL.
  static Result<Requirement> Parse(std::string_view text);
  /// Returns the normal form, with hashes.
  std::string ToString() const;

  bool AppliesTo(const MarkerEnvironment& environment) const {
    return !marker || marker->Evaluate(environment);
  }
  /// Returns whether it allows exactly one version or archive.
  bool Pinned() const { return !url.empty() || specifier.Pinned(); }
};

/// Parses "sha256:…" or "sha256=…" to "sha256:…".
/// @errors  kInvalidArgument: weak algorithm (md5, sha1), not hexadecimal, wrong length.
Result<std::string> ParseHash(std::string_view text);

}  // namespace kinetic::env
