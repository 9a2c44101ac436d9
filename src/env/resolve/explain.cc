#include "env/resolve/explain.h"

#include "base/strings.h"

#include <algorithm>
#include <set>

namespace kinetic::env {
namespace {

using Change = EnvironmentExplanation::Change;

std::set<std::string> LinesOf(const std::string& text) {
  std::set<std::string> lines;
  for (const auto line : Split(text, '\n')) {
    if (!line.empty()) lines.emplace(line);
  }
  return lines;
}

/// Returns the package of a requirement line.
std::string PackageOfLine(const std::string& line) {
  return line.substr(0, line.find_first_of("[ =<>!~;@"));
}

/// Pairs removed and added lines of the same package.
void CompareLines(const std::string& input, const std::string& before, const std::string& now,
                  std::vector<Change>& changes) {
  const auto old_lines = LinesOf(before);
  const auto new_lines = LinesOf(now);
  std::vector<std::string> removed;
  std::vector<std::string> added;
  std::set_difference(old_lines.begin(), old_lines.end(), new_lines.begin(), new_lines.end(),
                      std::back_inserter(removed));
  std::set_difference(new_lines.begin(), new_lines.end(), old_lines.begin(), old_lines.end(),
                      std::back_inserter(added));
  for (const auto& line : removed) {
    const auto same = std::find_if(added.begin(), added.end(), [&](const auto& other) {
      return PackageOfLine(other) == PackageOfLine(line);
    });
    changes.push_back({input, line, same != added.end() ? *same : ""});
    if (same != added.end()) added.erase(same);
  }
  for (const auto& line : added) changes.push_back({input, "", line});
}

}  // namespace

std::vector<Change> CompareInputs(const std::map<std::string, std::string>& before,
                                  const Manifest& now) {
  std::vector<Change> changes;
  for (const auto& [name, value] : now.Inputs()) {
    const auto found = before.find(name);
    const std::string old = found != before.end() ? found->second : "";
    if (old == value) continue;
    if (name == "dependencies" || name == "constraints" || name == "index urls" ||
        name == "settings") {
      CompareLines(name, old, value, changes);
    } else {
      changes.push_back({name, old, value});
    }
  }
  return changes;
}

EnvironmentExplanation Explain(const Manifest& manifest, const std::optional<ObtainedLock>& lock,
                               const std::optional<ReadyEnvironment>& ready,
                               const std::optional<PreviousInputs>& earlier) {
  EnvironmentExplanation explanation;
  explanation.manifest_key = manifest.Key().Hex();
  explanation.inputs = manifest.Inputs();
  if (lock) explanation.lock = ToPublic(lock->lock, lock->from_store);
  if (ready) {
    explanation.built = true;
    explanation.location = ready->root;
    explanation.image = ready->image;
    if (ready->tree) explanation.tree = ready->tree->digest.Hex();
  }
  if (earlier) {
    explanation.since = earlier->job;
    explanation.changes = CompareInputs(earlier->inputs, manifest);
  }
  return explanation;
}

}  // namespace kinetic::env
