#include "env/resolve/uv_warnings.h"

#include "base/strings.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::string_view kWarningStart = "warning: ";
constexpr std::string_view kOptionWarning = "is experimental and may change without warning";

/// Returns whether a line is part of an excerpt: "  |", "6 | typo = 1", "  | ^^^^".
bool IsExcerpt(std::string_view line) {
  const auto bar = line.find('|');
  return bar != std::string_view::npos &&
         line.substr(0, bar).find_first_not_of(" 0123456789") == std::string_view::npos;
}

void AddContinuation(std::string& warning, std::string_view line) {
  if (IsExcerpt(line)) return;
  line = Trim(line);
  line = line.substr(0, line.find(", expected one of "));
  if (line.empty()) return;
  warning += warning.ends_with(':') ? " " : ": ";
  warning += line;
}

}  // namespace

std::vector<std::string> UvWarnings(const InstallerLog& log) {
  std::vector<std::string> warnings;
  bool is_in_warning = false;
  for (const std::string& line : log.recent()) {
    if (line.starts_with(kWarningStart)) {
      warnings.push_back(line.substr(kWarningStart.size()));
      is_in_warning = true;
    } else if (is_in_warning && line.starts_with(' ')) {
      AddContinuation(warnings.back(), line);
    } else {
      is_in_warning = false;
    }
  }
  std::vector<std::string> unique;
  for (auto& warning : warnings) {
    if (warning.find(kOptionWarning) != std::string::npos) continue;
    if (std::ranges::find(unique, warning) == unique.end()) unique.push_back(std::move(warning));
  }
  return unique;
}

}  // namespace kinetic::env
