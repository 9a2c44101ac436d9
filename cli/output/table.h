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

/// Rows under headings. Each column is as wide as its widest cell.
struct Table {
  std::vector<std::string> headings;
  std::vector<std::vector<Cell>> rows;
};

/// Returns the lines of a table, each with a trailing newline.
///
/// @param width  terminal columns, to which the last column is shortened; 0: no limit.
std::string FormatTable(const Table& table, const Style& style, std::size_t width);

}  // namespace kinetic::cli
