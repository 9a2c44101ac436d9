#include "kube/kubeconfig/entry_reader.h"

#include "base/strings.h"
#include "json/document.h"

#include <algorithm>

namespace kinetic::kube {
namespace {

using json::YamlNode;

std::string KindOf(const YamlNode& node) { return std::string(json::KindOf(json::ToValue(node))); }

/// Decodes base64 as Go does in JSON: line ends are ignored.
std::optional<std::string> Decoded(std::string text) {
  std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
  return Base64Decode(text);
}

}  // namespace

EntryReader::EntryReader(const YamlNode& node, const Path& file, std::string what)
    : node_(node), file_(file), what_(std::move(what)) {
  if (node.kind == YamlNode::Kind::kMap || node.kind == YamlNode::Kind::kNull) return;
  Reject({file, node.line, node.column}, "expected a map, found " + KindOf(node));
}

const YamlNode* EntryReader::Member(std::string_view key) const {
  const auto found = std::find_if(node_.members.rbegin(), node_.members.rend(),
                                  [&](const auto& member) { return member.key.text == key; });
  if (found == node_.members.rend()) return nullptr;
  const YamlNode& value = found->value;
  const bool null = value.kind == YamlNode::Kind::kNull ||
                    (value.kind == YamlNode::Kind::kScalar && json::ToValue(value).IsNull());
  return null ? nullptr : &value;
}

SourceLocation EntryReader::LocationOf(std::string_view key) const {
  const YamlNode* member = Member(key);
  const YamlNode& node = member == nullptr ? node_ : *member;
  return {file_, node.line, node.column};
}

void EntryReader::Reject(const SourceLocation& location, const std::string& message) {
  if (!error_) error_ = location.Text() + ": " + what_ + ": " + message;
}

std::string EntryReader::Text(std::string_view key) {
  const YamlNode* member = Member(key);
  if (member == nullptr) return {};
  const Value value = json::ToValue(*member);
  if (const auto* text = value.AsString()) return *text;
  const bool scalar = member->kind == YamlNode::Kind::kScalar;
  Reject(LocationOf(key), std::string(key) + ": expected a string, found " + KindOf(*member) +
                              (scalar ? "; put it in quotes" : ""));
  return {};
}

bool EntryReader::Flag(std::string_view key) {
  const YamlNode* member = Member(key);
  if (member == nullptr) return false;
  const Value value = json::ToValue(*member);
  if (const auto* flag = value.AsBool()) return *flag;
  Reject(LocationOf(key),
         std::string(key) + ": expected true or false, found " +
             (member->kind == YamlNode::Kind::kScalar ? Printable(member->text) : KindOf(*member)));
  return false;
}

std::vector<std::string> EntryReader::Texts(std::string_view key) {
  std::vector<std::string> texts;
  const YamlNode* member = Member(key);
  if (member == nullptr) return texts;
  const Value value = json::ToValue(*member);
  if (value.AsList() == nullptr) {
    Reject(LocationOf(key), std::string(key) + ": expected a list, found " + KindOf(*member));
    return texts;
  }
  for (std::size_t i = 0; i < member->items.size(); ++i) {
    const Value& item = value.AsList()->at(i);
    if (item.AsString() == nullptr) {
      Reject({file_, member->items[i].line, member->items[i].column},
             std::string(key) + ": expected a string, found " + std::string(json::KindOf(item)) +
                 "; put it in quotes");
      return texts;
    }
    texts.push_back(*item.AsString());
  }
  return texts;
}

std::vector<const YamlNode*> EntryReader::Maps(std::string_view key) {
  std::vector<const YamlNode*> maps;
  const YamlNode* member = Member(key);
  if (member == nullptr) return maps;
  if (member->kind != YamlNode::Kind::kList) {
    Reject(LocationOf(key), std::string(key) + ": expected a list, found " + KindOf(*member));
    return maps;
  }
  for (const YamlNode& item : member->items) maps.push_back(&item);
  return maps;
}

Path EntryReader::File(std::string_view key) {
  const std::string text = Text(key);
  return text.empty() ? Path() : (file_.parent_path() / text).lexically_normal();
}

Pem EntryReader::PemOf(std::string_view key) {
  const std::string data_key = std::string(key) + "-data";
  Pem pem;
  const std::string data = Text(data_key);
  if (data.empty()) {
    pem.file = File(key);
    pem.location = LocationOf(key);
    return pem;
  }
  pem.location = LocationOf(data_key);
  auto text = Decoded(data);
  if (!text || text->empty()) {
    Reject(pem.location, data_key + ": invalid base64; the file may be truncated or edited");
    return pem;
  }
  pem.text = *std::move(text);
  return pem;
}

Status EntryReader::Finish() const {
  if (error_) return Fail(ErrorCode::kInvalidArgument, *error_, "correct the kubeconfig");
  return {};
}

}  // namespace kinetic::kube
