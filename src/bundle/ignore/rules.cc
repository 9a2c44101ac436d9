#include "bundle/ignore/rules.h"

#include <algorithm>
#include <ranges>

namespace kinetic::bundle {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Removes trailing spaces, except one after a backslash.
std::string_view CutTrailingSpaces(std::string_view line) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\') {
      if (++i == line.size()) return line;
      end = i + 1;
    } else if (line[i] != ' ') {
      end = i + 1;
    }
  }
  return line.substr(0, end);
}

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Returns ".ext" of "name.ext", or "" if there is no dot.
std::string_view ExtensionOf(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(dot);
}

bool IsExtension(std::string_view text) {
  return text.size() > 1 && text[0] == '.' && ExtensionOf(text) == text;
}

}  // namespace

IgnoreRules IgnoreRules::Parse(std::string_view text) {
  IgnoreRules rules;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    rules.AddLine(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rules;
}

IgnoreRules IgnoreRules::FromLines(std::span<const std::string> lines) {
  IgnoreRules rules;
  for (const std::string& line : lines) rules.AddLine(line);
  return rules;
}

void IgnoreRules::AddLine(std::string_view line) {
  if (line.starts_with('#')) return;
  line = CutTrailingSpaces(line.substr(0, line.find('\0')));  // no path contains a NUL
  Rule rule;
  if (line.starts_with('!')) {
    rule.negated = true;
    line.remove_prefix(1);
  }
  if (line.ends_with('/')) {
    rule.folders_only = true;
    line.remove_suffix(1);
  }
  if (line.empty()) return;
  AddPattern(line, std::move(rule));
}

void IgnoreRules::AddPattern(std::string_view pattern, Rule rule) {
  const auto index = static_cast<std::uint32_t>(rules_.size());
  rule.whole_path = pattern.find('/') != std::string_view::npos;
  if (pattern.starts_with('/')) pattern.remove_prefix(1);
  const std::size_t literal = LiteralLength(pattern);
  if (literal == pattern.size()) {
    (rule.whole_path ? paths_ : names_)[std::string(pattern)].push_back(index);
  } else if (!rule.whole_path && literal == 0 && pattern[0] == '*' &&
             LiteralLength(pattern.substr(1)) + 1 == pattern.size() &&
             IsExtension(pattern.substr(1))) {
    extensions_[std::string(pattern.substr(1))].push_back(index);
  } else {
    // As in git, the pattern starts after the literal prefix: in "a**/b" the stars are at its
    // start.
    rule.literal = pattern.substr(0, literal);
    rule.wildcard = Wildcard::Compile(pattern.substr(literal));
    if (!rule.wildcard) return;
    wild_.push_back(index);
  }
  rules_.push_back(std::move(rule));
}

std::optional<std::uint32_t> IgnoreRules::FindLast(const Index& index, std::string_view key,
                                                   bool is_folder) const {
  if (index.empty()) return std::nullopt;
  const auto found = index.find(key);
  if (found == index.end()) return std::nullopt;
  for (const std::uint32_t rule : std::views::reverse(found->second)) {
    if (is_folder || !rules_[rule].folders_only) return rule;
  }
  return std::nullopt;
}

bool IgnoreRules::Matches(const Rule& rule, std::string_view path, std::string_view name) const {
  const std::string_view text = rule.whole_path ? path : name;
  if (!text.starts_with(rule.literal)) return false;
  return rule.wildcard->Matches(text.substr(rule.literal.size()));
}

RuleMatch IgnoreRules::Match(std::string_view path, bool is_folder) const {
  const std::string_view name = NameOf(path);
  std::optional<std::uint32_t> last = FindLast(names_, name, is_folder);
  last = std::max(last, FindLast(paths_, path, is_folder));
  if (!extensions_.empty())
    last = std::max(last, FindLast(extensions_, ExtensionOf(name), is_folder));
  for (auto index = wild_.rbegin(); index != wild_.rend() && (!last || *index > *last); ++index) {
    const Rule& rule = rules_[*index];
    if ((is_folder || !rule.folders_only) && Matches(rule, path, name)) {
      last = *index;
      break;
    }
  }
  if (!last) return RuleMatch::kNone;
  return rules_[*last].negated ? RuleMatch::kInclude : RuleMatch::kExclude;
}

}  // namespace kinetic::bundle
