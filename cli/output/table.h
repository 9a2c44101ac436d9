#pragma once

#include "output/style.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinetic::cli {

struct Cell {
  Cell(std::string cell_text, Role cell_role = Role::kPlain)
      : text(std::move(cell_text)), role(cell_role) {}
  std::string text;
  Role role;
};

/// Rows under headings, in columns as wide as their widest cell.
struct Table {
  std::vector<std::string> headings;
  std::vector<std::vector<Cell>> rows;
};

/// The table's lines, each ending in a newline.
///
/// @param width  columns of the terminal, to which the last column is shortened; 0: no limit.
std::string FormatTable(const Table& table, const Style& style, std::size_t width);

}  // namespace kinetic::cli
