#pragma once

#include "kinetic/metrics.h"

#include "output/table.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {

/// Rows of metrics with a column for each name, in the order in which the names appear. Names above
/// kMaxMetrics have no column.
class MetricsTable {
 public:
  /// When there is a first column with the label of each row.
  enum class Labels { kAlways, kIfDifferent };

  /// @param heading  of the labels.
  /// @param limit    the number of rows that ToTable returns; 0: all. Few others are kept.
  MetricsTable(std::string heading, Labels labels, std::size_t limit = 0)
      : heading_(std::move(heading)),
        has_labels_(labels == Labels::kAlways),
        keeps_empty_rows_(labels == Labels::kAlways),
        limit_(limit) {}

  /// Adds a row. If labels are shown only if they differ, a row without a number in a column is
  /// left out.
  void Add(const Metrics& numbers, std::string label);
  /// Returns the number of rows, with those that are not kept.
  std::size_t size() const { return size_; }
  /// Returns whether a name has no column.
  bool HasMoreNames() const { return has_more_names_; }

  /// Returns the rows up to the limit, evenly spaced, with the first one and the last one.
  Table ToTable() const;
  /// Returns all rows, if there is no limit, below a line with the headings.
  std::vector<std::string> ToCsv() const;

 private:
  struct Row {
    std::string label;
    std::vector<std::pair<std::size_t, double>> cells;  ///< a column and its number
  };

  /// Returns the column of a name, which may be new.
  std::optional<std::size_t> ColumnOf(const std::string& name);
  /// Makes room for another row, if there is a limit.
  void Thin();
  std::vector<std::string> Headings() const;
  std::vector<std::string> Cells(const Row& row, std::string (*text)(double number)) const;

  std::string heading_;
  bool has_labels_;
  bool keeps_empty_rows_;
  std::size_t limit_;
  std::vector<std::string> names_;
  std::vector<Row> rows_;  ///< each stride_-th one, and the last one
  std::size_t size_ = 0;
  std::size_t stride_ = 1;
  bool has_more_names_ = false;
};

}  // namespace kinetic::cli
