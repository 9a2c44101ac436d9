#include "settings/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace kinetic::settings {
namespace {

std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string_view WithoutDashes(std::string_view word) {
  return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

/// Returns whether the first letters are the same, or swapped. Words that begin differently usually
/// mean different things.
bool BeginsAlike(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return false;
  if (a[0] == b[0]) return true;
  return a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0];
}

}  // namespace

std::optional<std::string> Nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  const std::string_view typed = WithoutDashes(word);
  std::optional<std::string> nearest;
  std::size_t least = kLongestWord;
  for (const std::string& candidate : candidates) {
    const std::string_view name = WithoutDashes(candidate);
    const std::size_t distance = EditDistance(typed, name);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(typed.size(), name.size()) / 4);
    if (!BeginsAlike(typed, name) || distance > allowed || distance >= least) continue;
    if (distance >= name.size()) continue;
    least = distance;
    nearest = candidate;
  }
  if (nearest) return nearest;
  // "--to" is no abbreviation of "--token-file".
  constexpr std::size_t kShortestStart = 3;
  if (typed.size() < kShortestStart) return std::nullopt;
  std::vector<std::string> longer;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(longer),
               [&](const std::string& candidate) {
                 // "--state-dir" is no completion of the word "--state".
                 return candidate.starts_with(word) && candidate[word.size()] != '-';
               });
  if (longer.size() == 1) return longer.front();
  return std::nullopt;
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto nearest = Nearest(word, candidates);
  return nearest ? fmt::format("did you mean '{}'?", *nearest) : std::string();
}

}  // namespace kinetic::settings
