#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::env {

/// A line of a requirements file: continued ones joined, the comment left out.
struct LogicalLine {
  std::string text;
  /// Where pieces of `text` come from: offset in it → line and column (bytes, from 1).
  struct Origin {
    std::size_t offset = 0;
    int line = 0;
    int column = 0;
  };
  std::vector<Origin> origins;

  /// "3:7" for an offset of `text`.
  std::string Place(std::size_t offset) const;
};

/// The lines that say something. A byte order mark and the kind of line endings do not matter.
std::vector<LogicalLine> LogicalLines(std::string_view text);

}  // namespace kinetic::env
