#include "spec/syntax_error.h"

#include "base/strings.h"

#include <algorithm>
#include <array>

namespace kinetic::spec {
namespace {

int Detail(const Error& error, std::string_view key) {
  for (const auto& [name, value] : error.details) {
    if (name == key) return static_cast<int>(ParseInt(value).value_or(1));
  }
  return 1;
}

struct Explanation {
  std::string_view parser;
  std::string_view ours;
};

constexpr std::array<Explanation, 12> kExplanations{{
    {"illegal map value",
     "found `:` where no value can begin, expected even indentation, and quotes around a text with "
     "`: ` in it"},
    {"illegal map key", "found a key where none can be, expected even indentation"},
    {"illegal block entry", "found `-` where no list can begin, expected even indentation"},
    {"end of map not found", "found a line that belongs to nothing, expected even indentation"},
    {"end of sequence not found",
     "found a line that belongs to nothing, expected even indentation"},
    {"end of map flow not found", "found no end of the map, expected `}`"},
    {"end of sequence flow not found", "found no end of the list, expected `]`"},
    {"unknown token",
     "found a character that no value can begin with, expected quotes around the text"},
    {"a second document begins here, expected one", "found a second document, expected one"},
    {"nested deeper than 100 levels", "found nesting deeper than 100 levels, expected less"},
    {"more than 1000000 values", "found more than 1000000 values, expected less"},
    {"the referenced anchor is not defined",
     "found an alias to an anchor that is not there, expected quotes around a text with *"},
}};

}  // namespace

void AddSyntaxError(const Error& error, std::string_view text, Diagnostics& diagnostics) {
  json::YamlNode at;
  at.line = std::max(1, Detail(error, "line"));
  at.column = std::max(1, Detail(error, "column"));
  const auto lines = Split(text, '\n');
  for (int line = at.line; line >= std::max(1, at.line - 1); --line) {
    if (static_cast<std::size_t>(line) > lines.size()) continue;
    const std::string_view content = lines[static_cast<std::size_t>(line) - 1];
    const auto tab = content.substr(0, content.find_first_not_of(" \t")).find('\t');
    if (tab == std::string_view::npos) continue;
    at.line = line;
    at.column = static_cast<int>(tab) + 1;
    diagnostics.Add(at, "found a tab in the indentation, expected spaces");
    return;
  }
  std::string message = error.message;
  for (const auto& [parser, ours] : kExplanations) {
    if (message == parser) message = ours;
  }
  if (message == error.message) message = "found text that is not YAML: " + message;
  diagnostics.Add(at, std::move(message));
}

}  // namespace kinetic::spec
