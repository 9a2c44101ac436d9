#include "base/python/entry_points.h"

#include "base/strings.h"

#include <algorithm>
#include <cctype>

namespace kinetic {
namespace {

/// Returns whether `text` is a dotted module name.
bool IsDotted(std::string_view text) {
  const auto parts = Split(text, '.');
  return std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
    return !part.empty() && std::isdigit(static_cast<unsigned char>(part[0])) == 0 &&
           std::all_of(part.begin(), part.end(), [](unsigned char c) {
             return c == '_' || c >= 0x80 || std::isalnum(c) != 0;
           });
  });
}

bool IsFileName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name.find('\0') == std::string_view::npos;
}

/// Returns `module:object` without extras.
std::string_view WithoutExtras(std::string_view value) {
  return Trim(value.substr(0, value.find('[')));
}

}  // namespace

std::map<std::string, std::string> ParseEntryPoints(std::string_view entry_points) {
  std::map<std::string, std::string> scripts;
  bool is_script_group = false;
  for (const auto raw : Split(entry_points, '\n')) {
    const std::string_view line = Trim(raw);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line[0] == '[') {
      const std::string_view group = Trim(line.substr(1, line.find(']') - 1));
      is_script_group = group == "console_scripts" || group == "gui_scripts";
      continue;
    }
    const auto equals = line.find('=');
    if (!is_script_group || equals == std::string_view::npos) continue;
    const std::string_view name = Trim(line.substr(0, equals));
    const std::string_view entry = WithoutExtras(line.substr(equals + 1));
    const auto colon = entry.find(':');
    if (!IsFileName(name) || colon == std::string_view::npos) continue;
    const std::string_view module = Trim(entry.substr(0, colon));
    const std::string_view object = Trim(entry.substr(colon + 1));
    if (!IsDotted(module) || !IsDotted(object)) continue;
    scripts[std::string(name)] = std::string(module) + ":" + std::string(object);
  }
  return scripts;
}

std::string EntryPointScript(std::string_view entry) {
  const auto colon = entry.find(':');
  const std::string module(entry.substr(0, colon));
  const std::string object(entry.substr(colon + 1));
  const std::string imported = object.substr(0, object.find('.'));
  return "import sys\nfrom " + module + " import " + imported +
         "\nif __name__ == \"__main__\":\n    sys.exit(" + object + "())\n";
}

}  // namespace kinetic
