#pragma once

#include "kinetic/result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace kinetic::kube {

/// Makes lines of pieces that end anywhere.
///
/// @threads  one thread at a time.
class Lines {
 public:
  explicit Lines(std::function<Status(std::string_view line)> each) : each_(std::move(each)) {}

  /// Passes on every line that is complete, without its end; empty ones are left out.
  ///
  /// @errors  those of `each` · kDataLoss when a line is longer than any object can be.
  Status Add(std::string_view piece);

 private:
  std::function<Status(std::string_view line)> each_;
  std::string begun_;
};

}  // namespace kinetic::kube
