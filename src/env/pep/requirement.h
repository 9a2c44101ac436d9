#pragma once

#include "kinetic/result.h"

#include "env/pep/marker.h"
#include "env/pep/specifier.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// One dependency, as PEP 508 writes it, with the hashes that a requirements file adds.
///
/// @source  https://packaging.python.org/en/latest/specifications/dependency-specifiers/
struct Requirement {
  std::string name;                 ///< normalised
  std::vector<std::string> extras;  ///< normalised, sorted
  SpecifierSet specifier;
  std::string url;  ///< of a direct reference; as written by Parse
  std::optional<Marker> marker;
  std::vector<std::string> hashes;  ///< "sha256:…", sorted

  /// `name[extra] >= 1.0 ; marker` or `name @ url ; marker`.
  /// @errors  kInvalidArgument; the detail "offset" is the place in `text`. Never a URL in it.
  static Result<Requirement> Parse(std::string_view text);

  /// The normal form, hashes included.
  std::string ToString() const;
  /// Whether it is meant for that environment.
  bool AppliesTo(const MarkerEnvironment& environment) const {
    return !marker || marker->Evaluate(environment);
  }
  /// Whether it allows exactly one version or archive.
  bool Pinned() const { return !url.empty() || specifier.Pinned(); }
};

/// "sha256:…" of a hash written as "sha256:…" or "sha256=…". @errors kInvalidArgument: too weak
/// (md5, sha1), not hex, wrong length.
Result<std::string> ReadHash(std::string_view text);

}  // namespace kinetic::env
