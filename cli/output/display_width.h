#pragma once

#include <cstddef>
#include <string_view>

namespace kinetic::cli {

/// The first character of a text: its bytes, and the columns that it takes on a terminal. Wide
/// ones (CJK, most emoji) take two, combining ones none. Bytes that are no UTF-8 count as one
/// column each.
struct DisplayCharacter {
  std::size_t bytes = 0;
  std::size_t columns = 0;
};
DisplayCharacter FirstCharacter(std::string_view text);

/// Columns that a text takes on a terminal.
std::size_t DisplayWidth(std::string_view text);

}  // namespace kinetic::cli
