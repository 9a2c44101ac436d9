#include "base/strings.h"
#include "jobspec/diagnostics.h"

#include <algorithm>
#include <array>

namespace kinetic::jobspec {
namespace {

int Detail(const Error& error, std::string_view key) {
  for (const auto& [name, value] : error.details) {
    if (name == key) return static_cast<int>(ParseInt(value).value_or(1));
  }
  return 1;
}

struct SyntaxFix {
  std::string_view message;
  std::string_view replacement;
};

constexpr std::array<SyntaxFix, 13> kSyntaxFixes{{
    {"illegal map value",
     "unexpected `:`; align the indentation, or quote text that contains `: `"},
    {"illegal map key", "unexpected key; align the indentation"},
    {"illegal block entry", "unexpected `-`; align the indentation"},
    {"end of map not found", "unexpected line; align the indentation"},
    {"end of sequence not found", "unexpected line; align the indentation"},
    {"end of map flow not found", "unclosed map; add `}`, or a closing quote in the map"},
    {"end of sequence flow not found", "unclosed list; add `]`, or a closing quote in the list"},
    {"illegal EOF in scalar", "unclosed quote; add the closing quote"},
    {"unknown token", "a value cannot start with '@', '`' or '%'; quote the text"},
    {"a second document begins here, expected one",
     "a job file contains one document; remove the second one"},
    {"nested deeper than 100 levels", "nested deeper than 100 levels, the maximum"},
    {"more than 1000000 values",
     "more than 1000000 values; move large arguments to a file: $json, $jsonl"},
    {"the referenced anchor is not defined", "undefined anchor; quote text that starts with `*`"},
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
    diagnostics.Add(at, "tab in the indentation; use spaces");
    return;
  }
  diagnostics.Add(at, SyntaxMessage(error.message));
}

std::string SyntaxMessage(std::string_view message) {
  const auto* const fix = std::ranges::find(kSyntaxFixes, message, &SyntaxFix::message);
  if (fix != kSyntaxFixes.end()) return std::string(fix->replacement);
  return "invalid YAML: " + std::string(message);
}

}  // namespace kinetic::jobspec
