#include "base/strings.h"
#include "env/dockerfile/build_context.h"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <utility>

namespace kinetic::env {
namespace {

/// Normalizes "/a/./b/" to "a/b".
std::string NormalizePattern(std::string_view pattern) {
  std::string path = std::filesystem::path(pattern).lexically_normal().native();
  while (path.ends_with('/')) path.pop_back();
  path.erase(0, path.find_first_not_of('/'));
  return path == "." ? std::string() : path;
}

/// Returns whether the pattern matches the path or a parent folder.
bool Covers(const bundle::Wildcard& pattern, std::string_view path) {
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    if (pattern.Matches(path.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
  }
}

}  // namespace

DockerIgnore DockerIgnore::Parse(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  DockerIgnore ignore;
  for (std::string_view line : Split(text, '\n')) {
    if (line.starts_with('#')) continue;
    line = Trim(line);
    const bool negated = line.starts_with('!');
    if (negated) line = Trim(line.substr(1));
    const std::string pattern = NormalizePattern(line);
    if (pattern.empty()) continue;
    auto compiled = bundle::Wildcard::Compile(pattern);
    if (!compiled) continue;
    ignore.rules_.push_back({negated, *std::move(compiled)});
    ignore.has_exceptions_ = ignore.has_exceptions_ || negated;
  }
  return ignore;
}

bool DockerIgnore::Excludes(std::string_view path) const {
  const auto last_first = rules_ | std::views::reverse;
  const auto decides = std::ranges::find_if(
      last_first, [&](const Rule& rule) { return Covers(rule.pattern, path); });
  return decides != last_first.end() && !decides->negated;
}

}  // namespace kinetic::env
