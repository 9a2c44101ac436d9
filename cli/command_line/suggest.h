#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {

/// The candidate nearest to a mistyped word, if one is near enough: at most one edit for each three
/// letters (a swap of neighbours is one edit), or the only one that begins with the word.
std::optional<std::string> Nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// "did you mean 'logs'?", or nothing.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kinetic::cli
