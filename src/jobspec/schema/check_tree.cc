#include "jobspec/schema/check.h"

#include <string_view>
#include <unordered_map>

namespace kinetic::jobspec {
namespace {

using json::YamlNode;

constexpr int kMostLevels = 100;

class TreeCheck {
 public:
  explicit TreeCheck(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  bool Walk(YamlNode& node, int depth) {
    if (depth > kMostLevels) {
      diagnostics_.Add(node, "nested deeper than 100 levels");
      return false;
    }
    if (!AreQuotesClosed(node)) {
      diagnostics_.Add(node, "unclosed quote; add the closing quote");
      return false;
    }
    for (auto& item : node.items) {
      if (!Walk(item, depth + 1)) return false;
    }
    std::unordered_map<std::string_view, const YamlNode*> seen;
    for (auto& [key, value] : node.members) {
      CheckKey(key, seen);
      if (value.kind == YamlNode::Kind::kNull && value.line != key.line) {
        value.line = key.line;  // the parser places an empty value on the next line
        value.column = key.column;
      }
      if (!Walk(value, depth + 1)) return false;
    }
    return true;
  }

 private:
  void CheckKey(const YamlNode& key, std::unordered_map<std::string_view, const YamlNode*>& seen) {
    if (key.kind != YamlNode::Kind::kScalar || json::ToValue(key).AsString() == nullptr) {
      diagnostics_.Add(key, "found " + Found(key) + " as a key, expected a string" +
                                (key.kind == YamlNode::Kind::kScalar ? "; quote it" : ""));
      return;
    }
    if (key.text == "<<" && !key.quoted) {
      diagnostics_.Add(
          key,
          "merge keys (<<) are not supported; write out the keys, or use an anchor for a whole "
          "value");
      return;
    }
    const auto [first, added] = seen.emplace(key.text, &key);
    if (!added) {
      diagnostics_.Add(key, "duplicate key " + Found(key) + "; first at " +
                                diagnostics_.PositionOf(*first->second).ToString());
    }
  }

  // yaml-cpp accepts the end of the file as the end of quotes.
  bool AreQuotesClosed(const YamlNode& node) const {
    if (!node.quoted) return true;
    const std::string_view text = diagnostics_.TextAt(node);
    if (text.empty() || (text[0] != '\'' && text[0] != '"')) return true;
    for (std::size_t i = 1; i < text.size(); ++i) {
      const bool escape = text[0] == '"' ? text[i] == '\\' : text.substr(i, 2) == "''";
      if (escape) {
        ++i;
      } else if (text[i] == text[0]) {
        return true;
      }
    }
    return false;
  }

  Diagnostics& diagnostics_;
};

}  // namespace

bool CheckTree(YamlNode& root, Diagnostics& diagnostics) {
  return TreeCheck(diagnostics).Walk(root, 0);
}

}  // namespace kinetic::jobspec
