#include "json/parse.h"

#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <map>
#include <optional>
#include <sstream>

namespace kinetic::json {
namespace {

/// Thrown by the parser's callbacks if a limit is exceeded; caught in ParseYaml.
struct LimitError {
  std::string message;
  YAML::Mark mark;
};

/// Builds nodes from the parser's events: yaml-cpp's own nodes drop duplicate keys and positions.
class Builder final : public YAML::EventHandler {
 public:
  explicit Builder(const YamlLimits& limits) : limits_(limits) {}

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Add(Make(YamlNode::Kind::kNull, mark), anchor, mark);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    RefuseTag(tag, mark);
    YamlNode node = Make(YamlNode::Kind::kScalar, mark);
    node.text = value;
    node.quoted = tag != "?";  // yaml-cpp's tag of a plain scalar
    Add(std::move(node), anchor, mark);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      throw LimitError{"the alias refers to a node that contains it", mark};
    }
    Count(SizeOf(found->second), mark);
    YamlNode copy = found->second;
    copy.line = mark.line + 1;
    copy.column = mark.column + 1;
    Place(std::move(copy), mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    RefuseTag(tag, mark);
    Open(Make(YamlNode::Kind::kList, mark), anchor, mark);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    RefuseTag(tag, mark);
    Open(Make(YamlNode::Kind::kMap, mark), anchor, mark);
  }
  void OnMapEnd() override { Close(); }

  YamlNode TakeRoot() { return std::move(root_); }

  /// Returns the start of the innermost incomplete map or list. A missing bracket is reported there,
  /// because the parser detects it only on a later line.
  YAML::Mark IncompleteNode() const {
    YAML::Mark mark;
    if (open_.empty()) return mark;
    mark.line = open_.back().node.line - 1;
    mark.column = open_.back().node.column - 1;
    return mark;
  }

 private:
  struct Frame {
    YamlNode node;
    YAML::anchor_t anchor;
    std::optional<YamlNode> key;  // whose value has not been read yet
  };

  /// yaml-cpp reports "?" or "" for a node without a tag, and "!" for a quoted scalar.
  static void RefuseTag(std::string_view tag, const YAML::Mark& mark) {
    constexpr std::string_view kCore = "tag:yaml.org,2002:";
    if (tag.empty() || tag == "?" || tag == "!") return;
    std::string name(tag.substr(0, 64));
    if (tag.starts_with(kCore)) name.replace(0, kCore.size(), "!!");
    throw LimitError{"tag " + name + " is not supported; quote the text", mark};
  }

  static YamlNode Make(YamlNode::Kind kind, const YAML::Mark& mark) {
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  static std::size_t SizeOf(const YamlNode& node) {
    std::size_t size = 1;
    for (const auto& item : node.items) size += SizeOf(item);
    for (const auto& [key, value] : node.members) size += SizeOf(key) + SizeOf(value);
    return size;
  }

  void Count(std::size_t nodes, const YAML::Mark& mark) {
    count_ += nodes;
    if (count_ > limits_.nodes) {
      throw LimitError{"more than " + std::to_string(limits_.nodes) + " values", mark};
    }
  }

  void Add(YamlNode node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    Count(1, mark);
    if (anchor != 0) anchors_.insert_or_assign(anchor, node);
    Place(std::move(node), mark);
  }

  void Open(YamlNode node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    Count(1, mark);
    if (open_.size() >= limits_.depth) {
      throw LimitError{"nested deeper than " + std::to_string(limits_.depth) + " levels", mark};
    }
    open_.push_back({std::move(node), anchor, std::nullopt});
  }

  void Close() {
    Frame frame = std::move(open_.back());
    open_.pop_back();
    if (frame.anchor != 0) anchors_.insert_or_assign(frame.anchor, frame.node);
    Place(std::move(frame.node), {});
  }

  void Place(YamlNode node, const YAML::Mark&) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      parent.key = std::move(node);
    } else {
      parent.node.members.push_back({*std::move(parent.key), std::move(node)});
      parent.key.reset();
    }
  }

  const YamlLimits& limits_;
  std::size_t count_ = 0;
  YamlNode root_;
  std::vector<Frame> open_;
  std::map<YAML::anchor_t, YamlNode> anchors_;
};

/// Returns the position at which `text` exceeds the limit of special characters. The parser buffers
/// everything after an open bracket and uses up to 250 bytes of memory for each of them.
std::optional<YAML::Mark> FindTooManyMarks(std::string_view text, std::size_t limit) {
  YAML::Mark mark;
  std::size_t count = 0;
  for (const char c : text) {
    if (c == '\n') {
      ++mark.line;
      mark.column = 0;
      continue;
    }
    const bool is_mark = std::string_view("[]{},:&*!?").find(c) != std::string_view::npos;
    if (is_mark && ++count > limit) return mark;
    ++mark.column;
  }
  return std::nullopt;
}

/// Rejects a second document, which would otherwise be ignored.
class Refusal final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    throw LimitError{"a second document begins here, expected one", mark};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

Failure At(const YAML::Mark& mark, std::string message) {
  return Failure(Error{
      ErrorCode::kInvalidArgument,
      std::move(message),
      {},
      {{"line", std::to_string(mark.line + 1)}, {"column", std::to_string(mark.column + 1)}}});
}

}  // namespace

Result<YamlNode> ParseYaml(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.text_bytes) {
    return At({}, "the file has " + std::to_string(text.size()) + " bytes, expected at most " +
                      std::to_string(limits.text_bytes));
  }
  if (const auto place = FindTooManyMarks(text, limits.marks)) {
    return At(*place, "more than " + std::to_string(limits.marks) +
                          " brackets, commas and colons; move large arguments to a file: "
                          "$json, $jsonl");
  }
  Builder builder(limits);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Refusal refusal;
    if (!parser.HandleNextDocument(builder)) return YamlNode{.line = 1, .column = 1};
    parser.HandleNextDocument(refusal);
    return builder.TakeRoot();
  } catch (const YAML::Exception& error) {
    const bool is_unclosed = error.msg == YAML::ErrorMsg::END_OF_MAP_FLOW ||
                             error.msg == YAML::ErrorMsg::END_OF_SEQ_FLOW;
    return At(is_unclosed ? builder.IncompleteNode() : error.mark, error.msg);
  } catch (const LimitError& error) {
    return At(error.mark, error.message);
  }
}

}  // namespace kinetic::json
