#include "output/table.h"

#include "output/text.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <sstream>

namespace kinetic::cli {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kBelowIndent = 4;  // of a line below its row
constexpr std::size_t kMinColumns = 8;   // a narrower cell says nothing
constexpr std::size_t kMinSentenceColumns = 20;

using Row = std::vector<Cell>;

/// The shown columns of a table, fitted to a width.
class Layout {
 public:
  Layout(const Table& table, std::size_t width)
      : table_(table), width_(width), widths_(table.headings.size()) {
    shown_.resize(widths_.size());
    std::iota(shown_.begin(), shown_.end(), 0U);
    for (const std::size_t column : shown_) {
      widths_[column] = DisplayWidth(table.headings[column]);
      for (const Row& row : table.rows)
        widths_[column] = std::max(widths_[column], DisplayWidth(SafeLine(row[column].text)));
    }
    natural_widths_ = widths_;
    if (width_ > 0) Fit();
  }

  const std::vector<std::size_t>& shown() const { return shown_; }
  std::size_t WidthOf(std::size_t column) const { return widths_[column]; }
  bool IsWhole(std::size_t column) const {
    return std::ranges::find(table_.whole, table_.headings[column]) != table_.whole.end();
  }
  /// Returns the column whose cells are below their rows.
  std::optional<std::size_t> below() const { return below_; }

 private:
  bool Fits() const {
    std::size_t total = 0;
    for (const std::size_t column : shown_) total += widths_[column] + kGap;
    return total <= width_ + kGap;
  }

  /// Drops constant columns, then shortens cells, then drops other columns.
  void Fit() {
    if (!Fits() && !table_.below.empty()) MoveBelow();
    for (const std::string& heading : table_.droppable)
      if (!Fits() && IsConstant(heading)) Drop(heading);
    Shrink(1);
    for (const std::string& heading : table_.droppable) {
      if (Fits()) break;
      Drop(heading);
    }
    // The dropped columns left room.
    widths_ = natural_widths_;
    Shrink(1);
    Shrink(0);
  }

  void MoveBelow() {
    const auto found = Find(table_.below);
    below_ = *found;
    shown_.erase(found);
  }

  std::vector<std::size_t>::iterator Find(const std::string& heading) {
    return std::ranges::find_if(
        shown_, [&](std::size_t column) { return table_.headings[column] == heading; });
  }

  bool IsConstant(const std::string& heading) {
    const auto found = Find(heading);
    if (found == shown_.end() || table_.rows.empty()) return false;
    const std::string& first = table_.rows.front()[*found].text;
    if (table_.rows.size() == 1) return first.empty();
    return std::ranges::all_of(table_.rows,
                               [&](const Row& row) { return row[*found].text == first; });
  }

  void Drop(const std::string& heading) {
    if (const auto found = Find(heading); found != shown_.end()) shown_.erase(found);
  }

  /// Narrows the widest of the columns from `first` on, until the table fits.
  void Shrink(std::size_t first) {
    while (!Fits()) {
      std::size_t widest = shown_.size();
      for (std::size_t i = first; i < shown_.size(); ++i) {
        if (widths_[shown_[i]] <= MinWidth(shown_[i])) continue;
        if (widest == shown_.size() || widths_[shown_[i]] >= widths_[shown_[widest]]) widest = i;
      }
      if (widest == shown_.size()) return;
      --widths_[shown_[widest]];
    }
  }

  std::size_t MinWidth(std::size_t column) const {
    if (IsWhole(column)) return natural_widths_[column];
    const bool has_sentences = table_.headings[column] == table_.sentences;
    const std::size_t least = has_sentences ? kMinSentenceColumns : kMinColumns;
    return std::min(natural_widths_[column],
                    std::max(least, DisplayWidth(table_.headings[column])));
  }

  const Table& table_;
  const std::size_t width_;
  std::vector<std::size_t> widths_;  ///< of all columns
  std::vector<std::size_t> natural_widths_;
  std::vector<std::size_t> shown_;
  std::optional<std::size_t> below_;
};

std::string FormatCell(const Cell& cell, const std::string& text, const Style& style) {
  if (cell.strong_bytes == 0) return style.Paint(cell.role, text);
  const std::size_t strong = std::min(cell.strong_bytes, text.size());
  return style.Paint(Role::kStrong, text.substr(0, strong)) +
         style.Paint(cell.role, text.substr(strong));
}

std::string FormatRow(const Row& row, const Layout& layout, const Style& style, std::size_t width) {
  std::string line;
  std::size_t column = 0;
  for (const std::size_t i : layout.shown()) {
    const bool is_whole = layout.IsWhole(i);
    if (width > 0 && column >= width && !is_whole) break;
    std::string text = Shortened(SafeLine(row[i].text), layout.WidthOf(i), style.unicode);
    if (width > 0 && !is_whole) text = Shortened(text, width - column, style.unicode);
    line += FormatCell(row[i], text, style);
    if (i != layout.shown().back()) line.append(layout.WidthOf(i) - DisplayWidth(text) + kGap, ' ');
    column += layout.WidthOf(i) + kGap;
  }
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

/// Returns the lines below a row.
std::string FormatBelow(const Cell& cell, const Style& style, std::size_t width) {
  std::istringstream wrapped(
      Wrapped(SafeLine(cell.text), kBelowIndent, std::max(width, 2 * kBelowIndent)));
  std::string text;
  for (std::string line; std::getline(wrapped, line);) {
    line.erase(0, std::min(line.find_first_not_of(' '), line.size()));
    text += std::string(kBelowIndent, ' ') + style.Paint(cell.role, line) + "\n";
  }
  return text;
}

}  // namespace

std::string FormatTable(const Table& table, const Style& style, std::size_t width) {
  const Layout layout(table, width);
  Row headings;
  for (const std::string& heading : table.headings) headings.emplace_back(heading, Role::kStrong);
  std::string text = FormatRow(headings, layout, style, width);
  for (const Row& row : table.rows) {
    text += FormatRow(row, layout, style, width);
    if (layout.below()) text += FormatBelow(row[*layout.below()], style, width);
  }
  return text;
}

}  // namespace kinetic::cli
