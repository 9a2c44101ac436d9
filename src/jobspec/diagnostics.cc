#include "jobspec/diagnostics.h"

#include "base/strings.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace kinetic::jobspec {
namespace {

using json::YamlNode;

constexpr std::size_t kMaxEntries = 50;
constexpr std::size_t kBlock = 1024;

/// Returns whether the label of an option, such as "--memory" or "--arg epochs", already names the
/// key.
bool NamesKey(std::string_view option, std::string_view key) {
  const std::size_t space = option.find(' ');
  if (space == std::string_view::npos) return true;
  const std::string name(option.substr(space + 1));
  return key == name || key == "args." + name || key == "env." + name ||
         key == "array.over." + name;
}

/// Returns the number of characters in UTF-8 text.
int CharactersIn(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

Diagnostics::Diagnostics(std::string file, std::string_view text)
    : text_(text), sources_{{std::move(file), {}}} {
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
  int characters = 0;
  for (std::size_t start = 0; start <= text.size(); start += kBlock) {
    characters_before_.push_back(characters);
    characters += CharactersIn(text.substr(start, kBlock));
  }
}

int Diagnostics::AddSource(std::string label, std::string key) {
  sources_.push_back({std::move(label), std::move(key)});
  return static_cast<int>(sources_.size()) - 1;
}

void Diagnostics::SetSource(YamlNode& node, int source) {
  node.line = 0;
  node.column = source;
  for (auto& item : node.items) SetSource(item, source);
  for (auto& [key, value] : node.members) {
    SetSource(key, source);
    SetSource(value, source);
  }
}

/// Returns the offset of a node, or npos if it is not from the file.
std::size_t Diagnostics::OffsetOf(const YamlNode& node) const {
  const auto index = static_cast<std::size_t>(node.line) - 1;
  if (node.line < 1 || index >= line_starts_.size()) return std::string_view::npos;
  const auto column = static_cast<std::size_t>(std::max(node.column, 1)) - 1;
  return std::min(line_starts_[index] + column, text_.size());
}

int Diagnostics::CharactersBefore(std::size_t offset) const {
  const std::size_t block = offset / kBlock;
  return characters_before_[block] +
         CharactersIn(text_.substr(block * kBlock, offset - block * kBlock));
}

const Diagnostics::Source& Diagnostics::SourceOf(const YamlNode& node) const {
  return sources_[static_cast<std::size_t>(std::max(node.column, 0))];
}

SourcePosition Diagnostics::PositionOf(const YamlNode& node) const {
  if (node.line <= 0) return {SourceOf(node).label, 0, 0};
  const std::size_t offset = OffsetOf(node);
  if (offset == std::string_view::npos) {
    return {sources_[0].label, node.line, std::max(node.column, 1)};
  }
  const std::size_t start = line_starts_[static_cast<std::size_t>(node.line) - 1];
  return {sources_[0].label, node.line, CharactersBefore(offset) - CharactersBefore(start) + 1};
}

std::string_view Diagnostics::TextAt(const YamlNode& node) const {
  const std::size_t offset = OffsetOf(node);
  return offset == std::string_view::npos ? std::string_view() : text_.substr(offset);
}

bool Diagnostics::full() const { return entries_.size() == kMaxEntries; }

void Diagnostics::Add(const YamlNode& at, std::string message) {
  if (at.line <= 0) {
    const std::string prefix = SourceOf(at).key + ": ";
    if (message.starts_with(prefix)) message.erase(0, prefix.size());
  }
  Add(PositionOf(at), std::move(message));
}

void Diagnostics::Add(const SourcePosition& at, std::string message) {
  ++count_;
  if (full()) return;
  const int line = at.line == 0 ? std::numeric_limits<int>::max() : at.line;
  entries_.push_back({at, line, at.column, entries_.size(), std::move(message)});
}

Error Diagnostics::Finish() const {
  auto entries = entries_;
  std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
    return std::tie(a.line, a.column, a.order) < std::tie(b.line, b.column, b.order);
  });
  std::vector<std::string> lines;
  lines.reserve(entries.size() + 1);
  for (const auto& entry : entries) lines.push_back(entry.at.ToString() + ": " + entry.message);
  if (count_ > lines.size()) {
    lines.push_back(sources_[0].label + ": and " + std::to_string(count_ - lines.size()) + " more");
  }
  return Error{ErrorCode::kInvalidArgument, Join(lines, "\n"), {}, {}}.With("errors",
                                                                            std::to_string(count_));
}

std::string Found(const YamlNode& node) {
  static constexpr std::size_t kLongest = 40;
  if (node.kind == YamlNode::Kind::kList) return "a list";
  if (node.kind == YamlNode::Kind::kMap) return "a map";
  const Value value = json::ToValue(node);
  if (value.IsNull()) return "nothing";
  std::string_view shown = node.text;
  shown = shown.substr(0, shown.find('\n'));
  const bool cut = shown.size() > kLongest || shown.size() < node.text.size();
  shown = shown.substr(0, kLongest);
  while (!IsUtf8(shown)) shown.remove_suffix(1);
  const std::string text = Printable(shown) + (cut ? "…" : "");
  return value.AsString() == nullptr ? text : '"' + text + '"';
}

std::string DidYouMean(std::string_view found, const std::vector<std::string>& candidates) {
  const auto nearest = Nearest(found.substr(0, 100), candidates);
  return nearest ? "; did you mean " + *nearest + "?" : std::string();
}

std::string KeyWithPosition(const JobSpec& spec, std::string_view key) {
  const auto found = spec.positions.find(std::string(key));
  if (found == spec.positions.end()) return Printable(key);
  const SourcePosition& position = found->second;
  const bool is_option = position.line == 0 && NamesKey(position.file, key);
  return position.ToString() + (is_option ? "" : ": " + Printable(key));
}

Error WithKeyPosition(const JobSpec& spec, std::string_view key, Error error) {
  if (error.message.starts_with(std::string(key) + ": ")) {
    error.message.replace(0, key.size(), KeyWithPosition(spec, key));
  }
  return error;
}

}  // namespace kinetic::jobspec
