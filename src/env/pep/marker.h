#pragma once

#include "kinetic/result.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace kinetic::env {

/// What a marker is asked about: one Python on one platform.
struct MarkerEnvironment {
  std::map<std::string, std::string> variables;  ///< "python_version" → "3.12", …
  std::set<std::string> extras;                  ///< chosen, normalised; `extra == "x"` asks for it

  /// For CPython `python` ("3.12", taken as 3.12.0) on `platform` ("linux-x86_64"). What only the
  /// running machine knows (platform_release, platform_version) is empty.
  static MarkerEnvironment For(std::string_view python, std::string_view platform);
};

/// A condition after ';' of a requirement: `python_version < "3.12" and sys_platform == "linux"`.
///
/// @source  https://packaging.python.org/en/latest/specifications/dependency-specifiers/
class Marker {
 public:
  /// @errors  kInvalidArgument; the detail "offset" is the place in `text` where it stopped.
  static Result<Marker> Parse(std::string_view text);

  bool Evaluate(const MarkerEnvironment& environment) const;
  /// The normal form: one space, double quotes, no needless brackets.
  std::string ToString() const;

  struct Node;

 private:
  explicit Marker(std::shared_ptr<const Node> root) : root_(std::move(root)) {}
  std::shared_ptr<const Node> root_;
};

}  // namespace kinetic::env
