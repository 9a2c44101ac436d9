#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::env {

/// The newest GNU C library that a pod's wheels may need: 2.31, as in Debian 11 and Ubuntu 20.04.
/// Every python:*-slim image has a newer one; libtpu needs at least this version.
inline constexpr int kPodGlibcMinor = 31;

/// A platform other than this machine's for which uv chooses packages: CPython on Linux.
struct TargetPlatform {
  std::string python;   ///< "3.12"
  std::string machine;  ///< "x86_64"

  /// @param python    "3.12", "3.12.4"
  /// @param platform  as in manifests: "linux-x86_64".
  /// @errors  kUnimplemented: a platform that pods do not have · kInvalidArgument: a Python without
  ///          a minor version.
  static Result<TargetPlatform> For(std::string_view python, std::string_view platform);

  /// Returns the minor version: "3.12".
  std::string Minor() const;
  /// Returns the architecture as images name it: "amd64".
  std::string Architecture() const;
};

}  // namespace kinetic::env
