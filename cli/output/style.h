#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::cli {

/// What a piece of text is for; a role has one look everywhere.
enum class Role : std::uint8_t { kPlain, kStrong, kDim, kGood, kBad, kWarning, kHint };

/// How a stream shows text.
struct Style {
  bool color = false;
  bool unicode = false;

  /// The text in the look of its role, or as it is.
  std::string Paint(Role role, std::string_view text) const;
};

}  // namespace kinetic::cli
