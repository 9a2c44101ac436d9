#include "base/strings.h"
#include "jobspec/read/job_file.h"
#include "jobspec/schema/check.h"

#include <algorithm>
#include <optional>

namespace kinetic::jobspec {
namespace {

using json::YamlMember;
using json::YamlNode;

YamlNode StringNode(std::string text) {
  YamlNode node;
  node.kind = YamlNode::Kind::kScalar;
  node.text = std::move(text);
  node.quoted = true;
  return node;
}

/// Returns the value of `key`, adding null if it is absent. `map` is a map or null.
YamlNode& MemberOf(YamlNode& map, const std::string& key, int source) {
  map.kind = YamlNode::Kind::kMap;
  const auto found =
      std::ranges::find_if(map.members, [&](const auto& member) { return member.key.text == key; });
  if (found != map.members.end()) return found->value;
  auto& added = map.members.emplace_back(YamlMember{StringNode(key), YamlNode{}});
  Diagnostics::SetSource(added.key, source);
  Diagnostics::SetSource(added.value, source);
  return added.value;
}

/// Returns whether YAML drops a part of a text in one line as a comment.
bool LosesComment(std::string_view text, const YamlNode& node) {
  if (text.find('#') == std::string_view::npos || text.find('\n') != std::string_view::npos)
    return false;
  if (node.kind == YamlNode::Kind::kNull) return true;
  return node.kind == YamlNode::Kind::kScalar && !node.quoted && Trim(text) != node.text;
}

/// Returns whether a map is a reference: `{$json: args.json}`.
bool IsReference(const YamlNode& map) {
  return map.members.size() == 1 && map.members.front().key.text.starts_with('$');
}

/// Splits `a."b.c".d` into a, b.c and d. Returns an empty list if it is malformed.
std::vector<std::string> SplitPath(std::string_view path) {
  std::vector<std::string> pieces(1);
  bool quoted = false;
  for (const char c : path) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '.' && !quoted) {
      pieces.emplace_back();
    } else {
      pieces.back() += c;
    }
  }
  const bool empty = std::ranges::any_of(pieces, [](auto& p) { return p.empty(); });
  if (quoted || empty) return {};
  return pieces;
}

/// Returns the position of the first `=` outside quotes.
std::size_t EqualsIn(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '=' && !quoted) return i;
  }
  return std::string_view::npos;
}

class Overlay {
 public:
  Overlay(YamlNode& root, const JobFileOptions& options, Diagnostics& diagnostics)
      : root_(root), options_(options), diagnostics_(diagnostics) {}

  void Apply() {
    if (!options_.command.empty()) SetCommand();
    if (ReplacesTasks()) RemoveTasks();
    for (const auto& text : options_.set) Set(text);
    for (const auto& shortcut : options_.shortcuts) {
      SetAt(SplitPath(shortcut.key), shortcut.value,
            diagnostics_.AddSource(shortcut.option, shortcut.key));
    }
    for (const auto& text : options_.over) SetOver(text);
    for (const auto& text : options_.args) SetArgument(text);
    for (const auto& text : options_.env) SetVariable(text);
    for (const auto& text : options_.tags) SetTag(text);
  }

 private:
  void Reject(int source, std::string message) {
    YamlNode at;
    Diagnostics::SetSource(at, source);
    diagnostics_.Add(at, std::move(message));
  }

  /// Records carry text only. The YAML parser and JSON would replace other bytes silently.
  bool IsText(std::string_view text, int source) {
    if (IsUtf8(text)) return true;
    Reject(source, std::string(kNotUtf8));
    return false;
  }

  void SetCommand() {
    const int source = diagnostics_.AddSource("the command after --");
    for (const auto& word : options_.command) {
      if (!IsText(word, source)) return;
    }
    std::erase_if(root_.members, [](const auto& member) {
      const auto& key = member.key.text;
      return key == "function" || key == "run" || key == "steps" || key == "args";
    });
    YamlNode words;
    words.kind = YamlNode::Kind::kList;
    for (const auto& word : options_.command) words.items.push_back(StringNode(word));
    Diagnostics::SetSource(words, source);
    MemberOf(root_, "run", source) = std::move(words);
  }

  /// Parses an option's value as YAML; reports errors and returns nullopt.
  std::optional<YamlNode> ParseValue(std::string_view text, int source) {
    if (!IsText(text, source)) return std::nullopt;
    auto node = json::ParseYaml(text);
    if (!node) {
      std::string message = SyntaxMessage(node.error().message);
      if (!message.ends_with("quote the text")) message += ", or quote the text";
      Reject(source, std::move(message));
      return std::nullopt;
    }
    if (LosesComment(text, *node)) {
      Reject(source, "the text after # is a comment in YAML and would be lost; quote the text");
      return std::nullopt;
    }
    Diagnostics::SetSource(*node, source);
    if (!CheckTree(*node, diagnostics_)) return std::nullopt;
    return *std::move(node);
  }

  void Set(std::string_view text) {
    const auto equals = EqualsIn(text);
    const auto path = equals == std::string_view::npos ? std::vector<std::string>()
                                                       : SplitPath(text.substr(0, equals));
    if (path.empty()) {
      const int source = diagnostics_.AddSource("--set");
      return Reject(source, "found " + Found(StringNode(std::string(text))) +
                                ", expected key=value, such as resources.memory=32Gi");
    }
    const int source = diagnostics_.AddSource(
        "--set " + Printable(text.substr(0, std::min<std::size_t>(equals, 100))),
        std::string(text.substr(0, equals)));
    if (IsText(text.substr(0, equals), source)) SetAt(path, text.substr(equals + 1), source);
  }

  void SetAt(const std::vector<std::string>& path, std::string_view text, int source) {
    auto value = ParseValue(text, source);
    if (!value) return;
    YamlNode* at = &root_;
    for (const auto& piece : path) {
      if (at->kind != YamlNode::Kind::kMap && at->kind != YamlNode::Kind::kNull) {
        return Reject(source, "found " + Found(*at) + " above " + piece + ", expected a map");
      }
      at = &MemberOf(*at, piece, source);
    }
    *at = *std::move(value);
  }

  /// Returns whether the tasks of the options replace those of the file.
  bool ReplacesTasks() const {
    return !options_.over.empty() ||
           std::ranges::any_of(options_.shortcuts,
                               [](const auto& shortcut) { return shortcut.key == "array.count"; });
  }

  void RemoveTasks() {
    for (auto& [key, array] : root_.members) {
      if (key.text != "array") continue;
      std::erase_if(array.members, [](const auto& member) {
        return member.key.text == "over" || member.key.text == "count";
      });
    }
  }

  /// Returns the map of the array, or null after an error.
  YamlNode* ArrayOf(int source) {
    YamlNode& array = MemberOf(root_, "array", source);
    if (array.kind == YamlNode::Kind::kMap || array.kind == YamlNode::Kind::kNull) return &array;
    Reject(source, "found " + Found(array) + " as array, expected a map");
    return nullptr;
  }

  /// Sets the file of the argument sets, or adds one name to the grid.
  void SetOver(std::string_view text) {
    const auto equals = text.find('=');
    if (equals != std::string_view::npos && equals > 0) {
      return AddAxis(std::string(text.substr(0, equals)), text.substr(equals + 1));
    }
    const int source = diagnostics_.AddSource("--over", "array.over");
    if (!IsText(text, source)) return;
    const std::string kind = KindOfFile(text);
    if (kind.empty()) {
      return Reject(source, "found " + Found(StringNode(std::string(text))) +
                                ", expected name=values, such as lr=0.1,0.01 or seed=1..5, or a "
                                ".csv, .json or .jsonl file");
    }
    YamlNode* array = ArrayOf(source);
    if (array == nullptr) return;
    YamlNode& over = MemberOf(*array, "over", source);
    if (over.kind != YamlNode::Kind::kNull) {
      return Reject(source, "a file cannot be combined with other --over options");
    }
    YamlNode name = StringNode(std::string(text));
    Diagnostics::SetSource(name, source);
    MemberOf(over, kind, source) = std::move(name);
  }

  static std::string KindOfFile(std::string_view name) {
    for (const char* kind : {"json", "jsonl", "csv"}) {
      if (name.ends_with("." + std::string(kind))) return "$" + std::string(kind);
    }
    return {};
  }

  void AddAxis(std::string name, std::string_view values) {
    const int source =
        diagnostics_.AddSource("--over " + Printable(name.substr(0, 100)), "array.over." + name);
    if (!IsText(name, source)) return;
    auto list = ParseValue("[" + std::string(values) + "]", source);
    if (!list) return;
    YamlNode* array = ArrayOf(source);
    if (array == nullptr) return;
    YamlNode& over = MemberOf(*array, "over", source);
    if (IsReference(over) || over.kind == YamlNode::Kind::kList) {
      return Reject(source, "cannot be combined with a list or file of argument sets");
    }
    YamlNode& axis = MemberOf(over, name, source);
    if (axis.kind != YamlNode::Kind::kNull) {
      return Reject(
          source, "given twice; separate the values with commas: " + Printable(name) + "=0.1,0.01");
    }
    axis = *std::move(list);
  }

  void SetArgument(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return Reject(diagnostics_.AddSource("--arg"), "found " +
                                                         Found(StringNode(std::string(text))) +
                                                         ", expected name=value, such as epochs=3");
    }
    const std::string name(text.substr(0, equals));
    const int source =
        diagnostics_.AddSource("--arg " + Printable(name.substr(0, 100)), "args." + name);
    if (!IsText(name, source)) return;
    auto value = ParseValue(text.substr(equals + 1), source);
    if (!value) return;
    YamlNode& args = MemberOf(root_, "args", source);
    if (args.kind != YamlNode::Kind::kMap && args.kind != YamlNode::Kind::kNull) {
      return Reject(source,
                    "found " + Found(args) + " as args, expected a map of arguments by name");
    }
    if (IsReference(args)) {
      return Reject(source, "found " + args.members.front().key.text +
                                " as args, expected a map of arguments by name");
    }
    MemberOf(args, name, source) = *std::move(value);
  }

  void SetVariable(std::string_view text) {
    const auto equals = text.find('=');
    const std::string name(text.substr(0, equals));
    const int source = diagnostics_.AddSource(
        name.empty() ? "--env" : "--env " + Printable(name.substr(0, 100)), "env." + name);
    if (!IsText(text, source)) return;
    YamlNode& env = MemberOf(root_, "env", source);
    if (env.kind != YamlNode::Kind::kMap && env.kind != YamlNode::Kind::kNull) {
      return Reject(source, "found " + Found(env) + " as env, expected a map");
    }
    YamlNode& variable = MemberOf(env, name, source);
    variable = equals == std::string_view::npos ? YamlNode{}
                                                : StringNode(std::string(text.substr(equals + 1)));
    Diagnostics::SetSource(variable, source);
  }

  void SetTag(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return Reject(diagnostics_.AddSource("--tag"), "found " +
                                                         Found(StringNode(std::string(text))) +
                                                         ", expected name=value, such as team=nlp");
    }
    const std::string name(text.substr(0, equals));
    const int source =
        diagnostics_.AddSource("--tag " + Printable(name.substr(0, 100)), "tags." + name);
    if (!IsText(text, source)) return;
    YamlNode& tags = MemberOf(root_, "tags", source);
    if (tags.kind != YamlNode::Kind::kMap && tags.kind != YamlNode::Kind::kNull) {
      return Reject(source, "found " + Found(tags) + " as tags, expected a map");
    }
    YamlNode& tag = MemberOf(tags, name, source);
    tag = StringNode(std::string(text.substr(equals + 1)));
    Diagnostics::SetSource(tag, source);
  }

  YamlNode& root_;
  const JobFileOptions& options_;
  Diagnostics& diagnostics_;
};

}  // namespace

void ApplyOverlays(YamlNode& root, const JobFileOptions& options, Diagnostics& diagnostics) {
  Overlay(root, options, diagnostics).Apply();
}

}  // namespace kinetic::jobspec
