#pragma once

#include "kinetic/metrics.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {

/// The length of a line of metrics in a file or a log of CI.
inline constexpr std::size_t kMetricsColumns = 90;

/// Returns a number with four significant digits, or a whole number with all of them: "20", "1.384".
std::string MetricText(double number);

/// The course of a number, in at most 16 columns: each is the mean of equally many numbers.
class Trend {
 public:
  /// Numbers that are not finite are left out.
  void Add(double number);
  /// Returns one of "▁▂▃▄▅▆▇█" for each column, or nothing if there are fewer than two.
  std::string Sparkline() const;

 private:
  struct Column {
    double sum = 0;
    std::size_t count = 0;
  };

  std::vector<Column> columns_;
  std::size_t per_column_ = 1;
};

/// The last numbers of a job's metrics in one line: "step 20  loss 1.38 █▅▂▁". Steps and epochs come
/// first, then losses, then the others in the order of the job.
class MetricsLine {
 public:
  void Add(const Metrics& numbers);
  bool IsEmpty() const { return series_.empty(); }
  /// Returns the names and numbers that fit.
  ///
  /// @param width       in columns; 0: no limit.
  /// @param sparklines  shows the course of the numbers, except for steps, where there is room.
  std::string Text(std::size_t width, bool sparklines) const;

 private:
  struct Series {
    std::string name;
    int rank = 0;  ///< among the others
    double last = 0;
    Trend trend;
  };

  std::vector<Series> series_;  ///< by rank
};

}  // namespace kinetic::cli
