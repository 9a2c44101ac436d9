#include "commands/job/metrics_table.h"

#include "output/csv.h"
#include "output/metrics_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::size_t kMostThinnedRows = 1024;

std::string ExactText(double number) { return fmt::format("{}", number); }

}  // namespace

void MetricsTable::Add(const Metrics& numbers, std::string label) {
  Row row{.label = std::move(label), .cells = {}};
  for (const auto& [name, number] : numbers)
    if (const auto column = ColumnOf(name)) row.cells.emplace_back(*column, number);
  if (row.cells.empty() && !keeps_empty_rows_) return;
  if (!rows_.empty() && row.label != rows_.back().label) has_labels_ = true;
  if (limit_ != 0) Thin();
  rows_.push_back(std::move(row));
  ++size_;
}

std::optional<std::size_t> MetricsTable::ColumnOf(const std::string& name) {
  const auto found = std::ranges::find(names_, name);
  const auto column = static_cast<std::size_t>(found - names_.begin());
  if (found != names_.end()) return column;
  has_more_names_ = names_.size() == kMaxMetrics;
  if (has_more_names_) return std::nullopt;
  names_.push_back(name);
  return column;
}

void MetricsTable::Thin() {
  if (size_ > 0 && (size_ - 1) % stride_ != 0) rows_.pop_back();
  if (rows_.size() < kMostThinnedRows) return;
  for (std::size_t i = 1; i < kMostThinnedRows / 2; ++i) rows_[i] = std::move(rows_[2 * i]);
  rows_.resize(kMostThinnedRows / 2);
  stride_ *= 2;
}

std::vector<std::string> MetricsTable::Headings() const {
  std::vector<std::string> headings;
  if (has_labels_) headings.push_back(heading_);
  headings.insert(headings.end(), names_.begin(), names_.end());
  return headings;
}

std::vector<std::string> MetricsTable::Cells(const Row& row, std::string (*text)(double)) const {
  std::vector<std::string> cells;
  if (has_labels_) cells.push_back(row.label);
  const std::size_t first = cells.size();
  cells.resize(first + names_.size());
  for (const auto& [column, number] : row.cells) cells[first + column] = text(number);
  return cells;
}

Table MetricsTable::ToTable() const {
  const std::size_t shown = limit_ == 0 ? size_ : std::min(limit_, size_);
  Table table{.headings = Headings()};
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t at = shown < 2 ? i : i * (size_ - 1) / (shown - 1);
    const Row& row = at + 1 == size_ ? rows_.back() : rows_[at / stride_];
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (std::string& text : Cells(row, MetricText)) cells.emplace_back(std::move(text));
  }
  return table;
}

std::vector<std::string> MetricsTable::ToCsv() const {
  std::vector<std::string> lines{CsvLine(Headings())};
  for (const Row& row : rows_) lines.push_back(CsvLine(Cells(row, ExactText)));
  return lines;
}

}  // namespace kinetic::cli
