#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {

/// Returns the candidate nearest to a mistyped word, or nullopt. A candidate must be within one
/// edit per three letters (a swap of neighbors is one edit), or be the only one that starts with
/// the word.
std::optional<std::string> Nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// Returns "did you mean 'logs'?", or an empty string.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kinetic::cli
