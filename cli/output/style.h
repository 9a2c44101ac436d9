#pragma once

#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace kinetic::cli
