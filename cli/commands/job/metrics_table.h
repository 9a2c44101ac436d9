#pragma once

#include "kinetic/metrics.h"

#include "output/table.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::cli {

/// Rows of metrics with a column for each name, in the order in which the names appear.
class MetricsTable {
 public:
  /// @param label  the heading of a first column with a text, or empty: there is none.
  explicit MetricsTable(std::string label) : label_(std::move(label)) {}

  void Add(const Metrics& numbers, std::string label = {});
  std::size_t size() const { return rows_.size(); }

  /// Returns at most `limit` rows, evenly spaced, with the first one and the last one. 0: all.
  Table ToTable(std::size_t limit) const;
  /// Returns all rows below a line with the headings.
  std::vector<std::string> ToCsv() const;

 private:
  struct Row {
    std::string label;
    std::vector<std::optional<double>> cells;  ///< shorter if later columns are empty
  };

  std::vector<std::string> Headings() const;
  std::optional<double> CellOf(const Row& row, std::size_t column) const;

  std::string label_;
  std::vector<std::string> names_;
  std::vector<Row> rows_;
};

}  // namespace kinetic::cli
