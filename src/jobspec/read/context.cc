#include "jobspec/read/context.h"

namespace kinetic::jobspec {

using json::YamlNode;

Path ReadContext::AbsolutePath(const YamlNode& node) const {
  if (node.text == "~" || node.text.starts_with("~/")) {
    diagnostics.Add(node, Found(node) + ": ~ is not expanded in job files; write the path in full");
  }
  const Path& base = node.line > 0 ? file_directory : options.directory;
  const Path path = (base / node.text).lexically_normal();
  const bool ends_in_slash = !path.has_filename() && path.has_relative_path();
  return ends_in_slash ? path.parent_path() : path;
}

const YamlNode* Find(const YamlNode& map, std::string_view key) {
  for (const auto& [name, value] : map.members) {
    if (name.text == key) return &value;
  }
  return nullptr;
}

std::optional<std::string> TextOf(const YamlNode* node, bool as_written) {
  if (node == nullptr || node->kind != YamlNode::Kind::kScalar) return std::nullopt;
  const Value value = json::ToValue(*node);
  if (value.AsString() == nullptr && (!as_written || value.IsNull())) return std::nullopt;
  return node->text;
}

std::optional<std::int64_t> IntOf(const YamlNode* node) {
  if (node == nullptr || node->kind != YamlNode::Kind::kScalar) return std::nullopt;
  const Value value = json::ToValue(*node);
  const auto* integer = value.AsInt();
  return integer == nullptr ? std::nullopt : std::optional(*integer);
}

std::optional<bool> BoolOf(const YamlNode* node) {
  if (node == nullptr || node->kind != YamlNode::Kind::kScalar) return std::nullopt;
  const Value value = json::ToValue(*node);
  const auto* flag = value.AsBool();
  return flag == nullptr ? std::nullopt : std::optional(*flag);
}

std::vector<std::string> TextsOf(const YamlNode* node, bool as_written) {
  std::vector<std::string> texts;
  if (node == nullptr) return texts;
  for (const auto& item : node->items) {
    if (auto text = TextOf(&item, as_written)) texts.push_back(*std::move(text));
  }
  return texts;
}

}  // namespace kinetic::jobspec
