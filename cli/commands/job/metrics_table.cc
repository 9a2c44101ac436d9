#include "commands/job/metrics_table.h"

#include "output/csv.h"
#include "output/metrics_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::cli {

void MetricsTable::Add(const Metrics& numbers, std::string label) {
  Row& row = rows_.emplace_back();
  row.label = std::move(label);
  for (const auto& [name, number] : numbers) {
    const auto found = std::ranges::find(names_, name);
    const auto column = static_cast<std::size_t>(found - names_.begin());
    if (found == names_.end()) names_.push_back(name);
    if (row.cells.size() <= column) row.cells.resize(column + 1);
    row.cells[column] = number;
  }
}

std::vector<std::string> MetricsTable::Headings() const {
  std::vector<std::string> headings;
  if (!label_.empty()) headings.push_back(label_);
  headings.insert(headings.end(), names_.begin(), names_.end());
  return headings;
}

std::optional<double> MetricsTable::CellOf(const Row& row, std::size_t column) const {
  return column < row.cells.size() ? row.cells[column] : std::nullopt;
}

Table MetricsTable::ToTable(std::size_t limit) const {
  const std::size_t shown = limit == 0 ? rows_.size() : std::min(limit, rows_.size());
  Table table{.headings = Headings()};
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t at = shown < 2 ? i : i * (rows_.size() - 1) / (shown - 1);
    std::vector<Cell>& cells = table.rows.emplace_back();
    if (!label_.empty()) cells.emplace_back(rows_[at].label);
    for (std::size_t column = 0; column < names_.size(); ++column) {
      const auto number = CellOf(rows_[at], column);
      cells.emplace_back(number ? MetricText(*number) : std::string());
    }
  }
  return table;
}

std::vector<std::string> MetricsTable::ToCsv() const {
  std::vector<std::string> lines{CsvLine(Headings())};
  for (const Row& row : rows_) {
    std::vector<std::string> cells;
    if (!label_.empty()) cells.push_back(row.label);
    for (std::size_t column = 0; column < names_.size(); ++column) {
      const auto number = CellOf(row, column);
      cells.push_back(number ? fmt::format("{}", *number) : std::string());
    }
    lines.push_back(CsvLine(cells));
  }
  return lines;
}

}  // namespace kinetic::cli
