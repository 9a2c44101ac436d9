#pragma once

#include "bundle/ignore/wildcard.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// The rules of a .dockerignore: the last one that matches a path, or a folder that it is in,
/// decides. All begin at the context's folder. `**` beside other bytes of a name counts as `*`.
///
/// @source https://docs.docker.com/build/concepts/context/#dockerignore-files
/// @threads  safe to ask concurrently.
class DockerIgnore {
 public:
  /// Nothing is ignored.
  DockerIgnore() = default;

  /// A line that makes no sense matches nothing.
  static DockerIgnore Parse(std::string_view text);

  /// @param path  relative to the context, '/'-separated, without a '/' at its end.
  bool Excludes(std::string_view path) const;

  /// Whether something in an excluded folder may be wanted all the same.
  bool HasExceptions() const { return has_exceptions_; }

 private:
  struct Rule {
    bool negated = false;
    bundle::Wildcard pattern;
  };

  std::vector<Rule> rules_;
  bool has_exceptions_ = false;
};

}  // namespace kinetic::env
