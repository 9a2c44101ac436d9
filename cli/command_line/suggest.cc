#include "settings/suggest.h"

#include "command_line/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::cli {
namespace {

/// Words of other tools, with the words of kinetic that mean the same. A word may have several: the
/// first one that is valid at its place is suggested.
constexpr std::array kSynonyms = {
    std::pair("--gpu", "--accelerator"),
    std::pair("--gpus", "--accelerator"),
    std::pair("--tpu", "--accelerator"),
    std::pair("--tpus", "--accelerator"),
    std::pair("--ram", "--memory"),
    std::pair("--mem", "--memory"),
    std::pair("--requirements", "--dependencies"),
    std::pair("--lines", "--tail"),
    std::pair("--owner", "--of"),
    std::pair("--user", "--of"),
    std::pair("list", "ps"),
    std::pair("list", "ls"),
    std::pair("jobs", "ps"),
    std::pair("delete", "rm"),
    std::pair("remove", "rm"),
    std::pair("kill", "cancel"),
    std::pair("stop", "cancel"),
    std::pair("down", "cancel"),
    std::pair("up", "run"),
    std::pair("submit", "run"),
    std::pair("describe", "status"),
    std::pair("show", "status"),
    std::pair("info", "status"),
    std::pair("inspect", "status"),
    std::pair("get", "ps"),
    std::pair("download", "get"),
};

std::optional<std::string> Synonym(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  for (const auto& [other, own] : kSynonyms)
    if (word == other && std::ranges::find(candidates, own) != candidates.end()) return own;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  if (auto synonym = Synonym(word, candidates)) return synonym;
  return settings::Nearest(word, candidates);
}

std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto nearest = Nearest(word, candidates);
  return nearest ? fmt::format("did you mean '{}'?", *nearest) : std::string();
}

}  // namespace kinetic::cli
