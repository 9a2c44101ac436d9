#pragma once

#include <cstddef>
#include <string_view>

namespace kinetic::cli {

/// The first character of a text: its bytes and its width in terminal columns. Wide characters
/// (CJK, most emoji) take two columns, combining characters none. Each byte that is not valid UTF-8
/// takes one column.
struct DisplayCharacter {
  std::size_t bytes = 0;
  std::size_t columns = 0;
};
DisplayCharacter FirstCharacter(std::string_view text);

/// Returns the width of a text in terminal columns.
std::size_t DisplayWidth(std::string_view text);

}  // namespace kinetic::cli
