#include "base/strings.h"
#include "env/dockerfile/builder.h"
#include "env/image/registry_images.h"

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

/// Returns the words of each instruction, with continuation lines joined.
std::vector<Words> Instructions(std::string_view text) {
  std::vector<Words> all;
  bool continues = false;
  for (std::string_view line : Split(text, '\n')) {
    line = Trim(line);
    if (line.empty() || line.starts_with('#')) continue;
    if (!continues) all.emplace_back();
    continues = line.ends_with('\\') || line.ends_with('`');
    if (continues) line.remove_suffix(1);
    for (const std::string_view word : Split(line, ' ')) {
      if (const auto trimmed = Trim(word); !trimmed.empty()) all.back().emplace_back(trimmed);
    }
  }
  std::erase_if(all, [](const Words& words) { return words.empty(); });
  return all;
}

/// Returns whether a mount contains the context: only bind mounts without `from` do.
bool MountsContext(std::string_view mount) {
  constexpr std::array<std::string_view, 5> kOtherSources{"type=cache", "type=secret", "type=ssh",
                                                          "type=tmpfs", "from="};
  const auto fields = Split(mount, ',');
  return std::ranges::none_of(fields, [&](std::string_view field) {
    return std::ranges::any_of(kOtherSources,
                               [&](std::string_view prefix) { return field.starts_with(prefix); });
  });
}

class DockerfileReader {
 public:
  void Read(const Words& words) {
    const std::string instruction = ToLower(words.front());
    if (instruction == "from") return ReadFrom(words);
    if (instruction == "copy" || instruction == "add") return ReadCopy(words);
    if (instruction == "run") return ReadRun(words);
    // The base image's triggers may copy from the context.
    if (instruction == "onbuild") inputs_.context = true;
  }

  DockerfileInputs Finish() && {
    inputs_.registries.assign(registries_.begin(), registries_.end());
    return std::move(inputs_);
  }

 private:
  void ReadFrom(const Words& words) {
    constexpr std::string_view kScratch = "scratch";
    auto image = words.begin() + 1;
    while (image != words.end() && image->starts_with("--")) ++image;
    if (image == words.end()) return;
    const auto stage = stages_.find(ToLower(*image));
    const bool is_variable = image->find('$') != std::string::npos;
    inputs_.base = stage != stages_.end()              ? stage->second
                   : *image == kScratch || is_variable ? std::string()
                                                       : *image;
    if (*image != kScratch) NoteImage(*image);
    const auto as = image + 1;
    if (as != words.end() && ToLower(*as) == "as" && as + 1 != words.end()) {
      stages_[ToLower(*(as + 1))] = inputs_.base;
    }
  }

  void ReadCopy(const Words& words) {
    const auto from = std::ranges::find_if(
        words, [](const std::string& word) { return word.starts_with(kFrom); });
    if (from == words.end()) {
      inputs_.context = true;
    } else {
      NoteImage(from->substr(kFrom.size()));
    }
  }

  void ReadRun(const Words& words) {
    for (const std::string_view word : words) {
      if (word.starts_with(kMount) && MountsContext(word.substr(kMount.size()))) {
        inputs_.context = true;
      }
    }
  }

  void NoteImage(const std::string& name) {
    if (name.find('$') != std::string::npos || stages_.contains(ToLower(name))) return;
    if (ParseInt(name)) return;  // a stage by its number
    const auto image = ParseImageName(name);
    if (image) registries_.insert(image->repository.registry);
  }

  DockerfileInputs inputs_;
  std::map<std::string, std::string> stages_;  ///< base image by stage name
  std::set<std::string> registries_;
};

/// Returns whether "# syntax=…" selects a frontend other than Docker's.
bool HasCustomFrontend(std::string_view text) {
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

DockerfileInputs ReadDockerfileInputs(std::string_view dockerfile) {
  DockerfileReader reader;
  for (const Words& words : Instructions(dockerfile)) reader.Read(words);
  DockerfileInputs inputs = std::move(reader).Finish();
  inputs.context = inputs.context || HasCustomFrontend(dockerfile);
  return inputs;
}

}  // namespace kinetic::env
