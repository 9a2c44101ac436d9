#include "env/dockerfile/usage.h"

#include "base/strings.h"
#include "env/image/find_image.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

namespace kinetic::env {
namespace {

using Words = std::vector<std::string>;

constexpr std::string_view kFrom = "--from=";
constexpr std::string_view kMount = "--mount=";

/// One instruction for each, its words apart; an escaped line end joins what it parts.
std::vector<Words> Instructions(std::string_view text) {
  std::vector<Words> all;
  bool goes_on = false;
  for (std::string_view line : Split(text, '\n')) {
    line = Trim(line);
    if (line.empty() || line.starts_with('#')) continue;
    if (!goes_on) all.emplace_back();
    goes_on = line.ends_with('\\') || line.ends_with('`');
    if (goes_on) line.remove_suffix(1);
    for (const std::string_view word : Split(line, ' ')) {
      if (const auto trimmed = Trim(word); !trimmed.empty()) all.back().emplace_back(trimmed);
    }
  }
  std::erase_if(all, [](const Words& words) { return words.empty(); });
  return all;
}

/// "type=cache,target=/x" has nothing of the context in it; a bind mount has, unless from
/// elsewhere.
bool MountsContext(std::string_view mount) {
  constexpr std::array<std::string_view, 5> kElsewhere{"type=cache", "type=secret", "type=ssh",
                                                       "type=tmpfs", "from="};
  const auto fields = Split(mount, ',');
  return std::ranges::none_of(fields, [&](std::string_view field) {
    return std::ranges::any_of(kElsewhere,
                               [&](std::string_view prefix) { return field.starts_with(prefix); });
  });
}

class Reading {
 public:
  void Read(const Words& words) {
    const std::string instruction = ToLower(words.front());
    if (instruction == "from") return ReadFrom(words);
    if (instruction == "copy" || instruction == "add") return ReadCopy(words);
    if (instruction == "run") return ReadRun(words);
    // What an image below left to be done, as far as this text tells.
    if (instruction == "onbuild") use_.context = true;
  }

  DockerfileUse Take() && {
    use_.registries.assign(registries_.begin(), registries_.end());
    return std::move(use_);
  }

 private:
  void ReadFrom(const Words& words) {
    constexpr std::string_view kNothing = "scratch";
    auto image = words.begin() + 1;
    while (image != words.end() && image->starts_with("--")) ++image;
    if (image == words.end()) return;
    const auto stage = stages_.find(ToLower(*image));
    const bool is_variable = image->find('$') != std::string::npos;
    use_.base = stage != stages_.end()              ? stage->second
                : *image == kNothing || is_variable ? std::string()
                                                    : *image;
    if (*image != kNothing) NoteImage(*image);
    const auto as = image + 1;
    if (as != words.end() && ToLower(*as) == "as" && as + 1 != words.end()) {
      stages_[ToLower(*(as + 1))] = use_.base;
    }
  }

  void ReadCopy(const Words& words) {
    const auto from = std::ranges::find_if(
        words, [](const std::string& word) { return word.starts_with(kFrom); });
    if (from == words.end()) {
      use_.context = true;
    } else {
      NoteImage(from->substr(kFrom.size()));
    }
  }

  void ReadRun(const Words& words) {
    for (const std::string_view word : words) {
      if (word.starts_with(kMount) && MountsContext(word.substr(kMount.size()))) {
        use_.context = true;
      }
    }
  }

  void NoteImage(const std::string& name) {
    if (name.find('$') != std::string::npos || stages_.contains(ToLower(name))) return;
    if (ParseInt(name)) return;  // a stage by its number
    const auto image = ParseImageName(name);
    if (image) registries_.insert(image->repository.registry);
  }

  DockerfileUse use_;
  std::map<std::string, std::string> stages_;  ///< what each begins with
  std::set<std::string> registries_;
};

/// "# syntax=…": who reads the file decides what it means.
bool NamesItsReader(std::string_view text) {
  for (std::string_view line : Split(text, '\n')) {
    line = Trim(line);
    if (!line.starts_with('#')) return false;
    const std::string_view directive = Trim(line.substr(1));
    const std::size_t equals = directive.find('=');
    if (equals == std::string_view::npos || ToLower(Trim(directive.substr(0, equals))) != "syntax")
      continue;
    const std::string_view reader = Trim(directive.substr(equals + 1));
    return !reader.starts_with("docker/dockerfile:1");
  }
  return false;
}

}  // namespace

DockerfileUse UseOf(std::string_view dockerfile) {
  Reading reading;
  for (const Words& words : Instructions(dockerfile)) reading.Read(words);
  DockerfileUse use = std::move(reading).Take();
  use.context = use.context || NamesItsReader(dockerfile);
  return use;
}

}  // namespace kinetic::env
