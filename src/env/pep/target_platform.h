#pragma once

#include "kinetic/result.h"

#include "env/install/installer.h"

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// The newest GNU C library that a wheel for a pod may ask for: 2.31, which Debian 11 and Ubuntu
/// 20.04 have and every python:*-slim exceeds. libtpu asks for no less.
inline constexpr int kPodGlibcMinor = 31;

/// What pip and uv are told about a machine that is not this one: CPython on Linux.
struct TargetPlatform {
  std::string python;   ///< "3.12"
  std::string machine;  ///< "x86_64"

  /// Of a Python ("3.12", "3.12.4") and a platform as manifests name it ("linux-x86_64").
  /// @errors  kUnimplemented: another system or machine than pods have · kInvalidArgument: a Python
  ///          without a minor version.
  static Result<TargetPlatform> For(std::string_view python, std::string_view platform);

  /// "3.12"
  std::string Minor() const;
  /// As images name the machine: "amd64".
  std::string Architecture() const;
  /// The tags of wheels that may hold compiled code, best first: "manylinux_2_31_x86_64", ….
  std::vector<std::string> Tags() const;
  /// The options with which an installer chooses wheels for it. pip wants --only-binary :all:, or
  /// --no-deps, besides.
  std::vector<std::string> Options(const Installer& installer) const;
};

}  // namespace kinetic::env
