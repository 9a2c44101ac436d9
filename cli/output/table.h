#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {

/// The purpose of a piece of text. Each role has one style everywhere.
enum class Role : std::uint8_t { kPlain, kStrong, kDim, kGood, kBad, kWarning, kHint };

/// The text style of a stream.
struct Style {
  bool color = false;
  bool unicode = false;

  /// Returns the text with the style of its role, or unchanged if the stream has no style.
  std::string Paint(Role role, std::string_view text) const;
};

/// A line in pieces, each with a role. A string is a line of one plain piece.
class StyledLine {
 public:
  StyledLine() = default;
  StyledLine(std::string plain) { Add(std::move(plain)); }
  StyledLine(std::string_view plain) : StyledLine(std::string(plain)) {}
  StyledLine(const char* plain) : StyledLine(std::string(plain)) {}
  StyledLine(std::string text, Role role) { Add(std::move(text), role); }

  StyledLine& Add(std::string text, Role role = Role::kPlain);
  /// Returns the line with the escapes of SafeLine, without a newline.
  std::string Render(const Style& style) const;

 private:
  std::vector<std::pair<std::string, Role>> pieces_;
};

struct Cell {
  Cell(std::string cell_text, Role cell_role = Role::kPlain)
      : text(std::move(cell_text)), role(cell_role) {}
  std::string text;
  Role role;
  std::size_t strong_bytes = 0;  ///< this much of the beginning is emphasized
};

/// Rows under headings. Each column is as wide as its widest cell.
struct Table {
  std::vector<std::string> headings;
  std::vector<std::vector<Cell>> rows = {};
  /// Headings of columns that may be left out on a narrow terminal, the least important first.
  std::vector<std::string> droppable = {};
  /// Headings of columns whose cells are never shortened, such as names that the user types. If they
  /// do not fit, the lines are wider than the terminal.
  std::vector<std::string> whole = {};
  /// Heading of a droppable column with sentences: left out rather than shortened to a few words.
  std::string sentences = {};
  /// Heading of a column whose cells move to lines of their own, below their row, if the table is
  /// too wide. Empty: none.
  std::string below = {};
};

/// Returns the lines of a table, each with a trailing newline.
///
/// @param width  terminal columns; 0: no limit. A table that is too wide moves the column `below`;
///               then loses droppable columns whose cells are all the same; then its cells are
///               shortened; then it loses other droppable columns.
std::string FormatTable(const Table& table, const Style& style, std::size_t width);

}  // namespace kinetic::cli
