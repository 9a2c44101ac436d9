#include "spec/check.h"

#include <string_view>
#include <unordered_map>

namespace kinetic::spec {
namespace {

using json::YamlNode;

constexpr int kMostLevels = 100;

class TreeCheck {
 public:
  explicit TreeCheck(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  bool Walk(YamlNode& node, int depth) {
    if (depth > kMostLevels) {
      diagnostics_.Add(node, "nested too deep, expected at most 100 levels");
      return false;
    }
    if (!AreQuotesClosed(node)) {
      diagnostics_.Add(node, "found a quote that is never closed, expected a second one");
      return false;
    }
    for (auto& item : node.items) {
      if (!Walk(item, depth + 1)) return false;
    }
    std::unordered_map<std::string_view, const YamlNode*> seen;
    for (auto& [key, value] : node.members) {
      CheckKey(key, seen);
      if (value.kind == YamlNode::Kind::kNull && value.line != key.line) {
        value.line = key.line;  // the parser places what is not there on the next line
        value.column = key.column;
      }
      if (!Walk(value, depth + 1)) return false;
    }
    return true;
  }

 private:
  void CheckKey(const YamlNode& key, std::unordered_map<std::string_view, const YamlNode*>& seen) {
    if (key.kind != YamlNode::Kind::kScalar || json::ToValue(key).AsString() == nullptr) {
      diagnostics_.Add(key,
                       "found " + Found(key) + " as a key, expected a string" +
                           (key.kind == YamlNode::Kind::kScalar ? "; write it in quotes" : ""));
      return;
    }
    if (key.text == "<<" && !key.quoted) {
      diagnostics_.Add(
          key,
          "found a merge key (<<), which job files do not have; write out the keys, or "
          "use an anchor for a whole value");
      return;
    }
    const auto [first, added] = seen.emplace(key.text, &key);
    if (!added) {
      diagnostics_.Add(key, "found the key " + Found(key) +
                                " a second time, expected it once; it is first at " +
                                diagnostics_.PositionOf(*first->second).ToString());
    }
  }

  // yaml-cpp takes the end of the file for the end of the quotes.
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

}  // namespace kinetic::spec
