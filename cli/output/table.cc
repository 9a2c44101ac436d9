#include "output/table.h"

#include "output/text.h"

#include <algorithm>

namespace kinetic::cli {
namespace {

constexpr std::size_t kGap = 2;

using Row = std::vector<Cell>;

std::string FormatRow(const Row& row, const std::vector<std::size_t>& widths, const Style& style,
                      std::size_t width) {
  std::string line;
  std::size_t column = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::string text = SafeLine(row[i].text);
    const bool last = i + 1 == row.size();
    if (last && width > column) text = Shortened(text, width - column, style.unicode);
    const std::size_t used = DisplayWidth(text);
    line += style.Paint(row[i].role, text);
    if (!last) line.append(widths[i] - used + kGap, ' ');
    column += widths[i] + kGap;
  }
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

}  // namespace

std::string FormatTable(const Table& table, const Style& style, std::size_t width) {
  Row headings;
  for (const std::string& heading : table.headings) headings.emplace_back(heading, Role::kStrong);
  std::vector<std::size_t> widths(headings.size());
  const auto measure = [&](const Row& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], DisplayWidth(SafeLine(row[i].text)));
  };
  measure(headings);
  std::for_each(table.rows.begin(), table.rows.end(), measure);
  std::string text = FormatRow(headings, widths, style, width);
  for (const Row& row : table.rows) text += FormatRow(row, widths, style, width);
  return text;
}

}  // namespace kinetic::cli
