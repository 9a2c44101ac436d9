#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::settings {

/// Returns the candidate nearest to a mistyped word, or nullopt. A candidate must begin with the
/// same letter and be within one edit per four letters (a swap of neighbors is one edit), or be the
/// only one that starts with the word.
std::optional<std::string> Nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// Returns "did you mean 'store'?", or an empty string.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kinetic::settings
