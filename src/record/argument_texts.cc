#include "record/argument_texts.h"

#include "base/strings.h"
#include "json/bytes.h"
#include "json/npy.h"
#include "record/passed_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace kinetic::record {
namespace {

constexpr std::size_t kMaxArgumentTextBytes = 100;

/// Returns one line of valid UTF-8, truncated between two characters.
std::string ShortLine(std::string_view text) {
  std::string line = Printable(text.substr(0, kMaxArgumentTextBytes));
  if (text.size() <= kMaxArgumentTextBytes && line.size() <= kMaxArgumentTextBytes) return line;
  std::size_t end = std::min(line.size(), kMaxArgumentTextBytes);
  while (end > 0 && end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80)
    --end;
  line.resize(end);
  return line += "…";
}

/// Returns "float32[1000,1000]", or "array" for one that is not in the arguments.
std::string ArrayText(const Value& content) {
  const auto file = json::BytesIn(content);
  if (!file) return "array";
  const auto array = json::DescribeNpy(*file);
  if (!array) return "array";
  return fmt::format("{}[{}]", array->type.Name(), fmt::join(array->shape, ","));
}

/// Replaces the arrays of a value by texts.
Value WithoutArrays(const Value& value) {
  if (const Value* content = json::Tagged(value, "$npy")) return ArrayText(*content);
  if (const auto* list = value.AsList()) {
    Value::List items;
    for (const Value& item : *list) items.push_back(WithoutArrays(item));
    return items;
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return value;
  Value::Map members;
  for (const auto& [name, item] : *map) members.emplace_back(name, WithoutArrays(item));
  return members;
}

std::string ValueText(const Value& value) {
  const Value shown = WithoutArrays(value);
  return shown.AsString() != nullptr ? *shown.AsString() : shown.ToJson();
}

/// Adds the words of a command. An option and its value are one text.
void AddWords(const std::vector<std::string>& argv, std::vector<std::string>& texts) {
  for (std::size_t i = ProgramWords(argv); i < argv.size(); ++i) {
    const bool has_value = argv[i].starts_with('-') && argv[i].find('=') == std::string::npos &&
                           i + 1 < argv.size() && !argv[i + 1].starts_with('-');
    texts.push_back(ShortLine(has_value ? argv[i] + " " + argv[i + 1] : argv[i]));
    if (has_value) ++i;
  }
}

}  // namespace

std::vector<std::string> ArgumentTexts(const JobSpec& spec) {
  std::vector<std::string> texts;
  if (spec.run && !spec.run->shell.empty()) {
    const std::string_view line = Trim(spec.run->shell);
    const std::size_t end = line.find('\n');
    texts.push_back(ShortLine(line.substr(0, end)));
    if (end != std::string_view::npos) texts.emplace_back("…");
  } else if (spec.run) {
    AddWords(spec.run->argv, texts);
  }
  const std::optional<Arguments> passed = PassedArguments(spec);
  const Arguments& arguments = passed ? *passed : spec.args;
  for (const Value& value : arguments.positional) texts.push_back(ShortLine(ValueText(value)));
  for (const auto& [name, value] : arguments.named)
    texts.push_back(ShortLine(name + "=" + ValueText(value)));
  return texts;
}

}  // namespace kinetic::record
