#include "base/strings.h"
#include "jobspec/schema/shape.h"

#include <algorithm>

namespace kinetic::jobspec {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsLetter(char c) { return IsUpper(c) || IsLower(c); }

template <typename First, typename Rest>
bool IsWord(std::string_view text, First first, Rest rest) {
  return !text.empty() && first(text.front()) && std::all_of(text.begin() + 1, text.end(), rest);
}

bool IsIdentifier(std::string_view text) {
  const auto first = [](char c) { return IsLetter(c) || c == '_' || (c & 0x80) != 0; };
  return IsWord(text, first, [&](char c) { return first(c) || IsDigit(c); });
}

bool IsDottedName(std::string_view text) {
  const auto pieces = Split(text, '.');
  return std::ranges::all_of(pieces, IsIdentifier);
}

bool IsInteger(std::string_view text) { return IsWord(text, IsDigit, IsDigit); }

}  // namespace

bool IsLabel(std::string_view text) {
  const auto inner = [](char c) { return IsLower(c) || IsDigit(c); };
  return text.size() <= 63 && !text.ends_with('-') &&
         IsWord(text, inner, [&](char c) { return inner(c) || c == '-'; });
}

bool IsJobName(std::string_view text) {
  const auto end = [](char c) { return IsLower(c) || IsDigit(c); };
  return text.size() <= 63 &&
         IsWord(text, end, [&](char c) { return end(c) || c == '-' || c == '_' || c == '.'; }) &&
         end(text.back());
}

bool IsFunction(std::string_view text) {
  const auto colon = text.find(':');
  return colon != std::string_view::npos && IsDottedName(text.substr(0, colon)) &&
         IsDottedName(text.substr(colon + 1));
}

bool IsNotEmpty(std::string_view text) {
  return !text.empty() && text.find('\0') == std::string_view::npos;
}

bool IsPythonVersion(std::string_view text) {
  if (!text.starts_with("3.")) return false;
  text.remove_prefix(2);
  return text == "9" || (text.size() == 2 && IsInteger(text) && text[0] != '0');
}

bool IsBytes(std::string_view text) { return ParseBytes(text).has_value(); }

bool IsDuration(std::string_view text) { return ParseDuration(text).has_value(); }

std::optional<double> MeasureBytes(std::string_view text) {
  const auto bytes = ParseBytes(text);
  return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
}

std::optional<double> MeasureDuration(std::string_view text) {
  const auto duration = ParseDuration(text);
  return duration ? std::optional(static_cast<double>(duration->count())) : std::nullopt;
}

bool IsCost(std::string_view text) {
  const auto space = text.find(' ');
  if (space == std::string_view::npos) return false;
  const auto currency = text.substr(space + 1);
  const auto numbers = Split(text.substr(0, space), '.');
  return currency.size() == 3 && std::ranges::all_of(currency, IsUpper) && numbers.size() <= 2 &&
         std::ranges::all_of(numbers, IsInteger);
}

bool IsRetryCause(std::string_view text) {
  if (text == "preempted" || text == "infrastructure") return true;
  if (!text.starts_with("exit:")) return false;
  text.remove_prefix(5);
  const auto code = ParseInt(text);
  return code && IsInteger(text) && text[0] != '0' && *code <= 255;
}

bool IsVariableName(std::string_view text) {
  const auto first = [](char c) { return IsLetter(c) || c == '_'; };
  return IsWord(text, first, [&](char c) { return first(c) || IsDigit(c); });
}

bool IsSecretPattern(std::string_view text) {
  const auto first = [](char c) { return IsLetter(c) || c == '_' || c == '*' || c == '?'; };
  return IsWord(text, first, [&](char c) { return first(c) || IsDigit(c); });
}

bool IsProfileName(std::string_view text) {
  const auto first = [](char c) { return IsLetter(c) || IsDigit(c); };
  return text.size() <= 63 &&
         IsWord(text, first, [&](char c) { return first(c) || c == '.' || c == '_' || c == '-'; });
}

bool IsDataSetName(std::string_view text) { return IsProfileName(text); }

bool IsTagValue(std::string_view text) {
  constexpr std::size_t kMaxTagCharacters = 63;
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; };
  const auto begins_character = [](char c) { return (c & 0xC0) != 0x80; };
  const auto characters = std::ranges::count_if(text, begins_character);
  return !text.empty() && static_cast<std::size_t>(characters) <= kMaxTagCharacters &&
         std::ranges::none_of(text, is_control);
}

bool IsExtraName(std::string_view text) {
  const auto end = [](char c) { return IsLetter(c) || IsDigit(c); };
  return IsWord(text, end, [&](char c) { return end(c) || c == '.' || c == '_' || c == '-'; }) &&
         end(text.back());
}

bool IsImageName(std::string_view text) {
  static constexpr std::string_view kMarks = "._/:@-";
  const auto first = [](char c) { return IsLetter(c) || IsDigit(c); };
  return IsWord(text, first,
                [&](char c) { return first(c) || kMarks.find(c) != std::string_view::npos; });
}

bool IsAbsolutePath(std::string_view text) { return text.starts_with('/') && IsNotEmpty(text); }

bool IsPathInBundle(std::string_view text) {
  const auto parts = Split(text, '/');
  return IsNotEmpty(text) && !text.starts_with('/') &&
         std::ranges::find(parts, "..") == parts.end();
}

}  // namespace kinetic::jobspec
