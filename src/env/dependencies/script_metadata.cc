#include "env/dependencies/script_metadata.h"

#include "base/strings.h"

#include <vector>

namespace kinetic::env {
namespace {

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines = Split(text, '\n');
  for (auto& line : lines) {
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return lines;
}

bool IsContent(std::string_view line) { return line == "#" || line.starts_with("# "); }

}  // namespace

Result<std::optional<std::string>> ExtractScriptMetadata(std::string_view python) {
  const auto lines = Lines(python);
  std::optional<std::string> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i] != "# /// script") continue;
    std::size_t end = i + 1;
    std::size_t last = 0;  // the last closing line in the comment
    for (; end < lines.size() && IsContent(lines[end]); ++end) {
      if (lines[end] == "# ///") last = end;
    }
    if (last == 0) continue;
    if (found) {
      return Fail(ErrorCode::kInvalidArgument,
                  "line " + std::to_string(i + 1) + ": duplicate '# /// script' block");
    }
    found.emplace();
    for (std::size_t line = i + 1; line < last; ++line) {
      *found += lines[line].substr(lines[line] == "#" ? 1 : 2);
      *found += '\n';
    }
    i = last;
  }
  return found;
}

}  // namespace kinetic::env
