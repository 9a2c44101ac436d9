#include "kinetic/try.h"

#include "base/strings.h"
#include "env/pep/requirement.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::env {
namespace {

using Node = Marker::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr int kMaxDepth = 100;

constexpr std::array<std::string_view, 12> kVariables{
    "python_version",      "python_full_version",    "os_name",
    "sys_platform",        "platform_release",       "platform_system",
    "platform_version",    "platform_machine",       "platform_python_implementation",
    "implementation_name", "implementation_version", "extra"};

/// Names from before PEP 508, used by old packages.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kOldNames{
    {{"os.name", "os_name"},
     {"sys.platform", "sys_platform"},
     {"platform.version", "platform_version"},
     {"platform.machine", "platform_machine"},
     {"platform.python_implementation", "platform_python_implementation"},
     {"python_implementation", "platform_python_implementation"}}};

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

class MarkerParser {
 public:
  explicit MarkerParser(std::string_view text) : text_(text) {}

  Result<NodePtr> Whole() {
    KINETIC_ASSIGN_OR_RETURN(NodePtr node, Or(0));
    SkipSpace();
    if (at_ < text_.size()) return Problem("expected 'and', 'or' or the end");
    return node;
  }

 private:
  Failure Problem(std::string_view expected) const {
    std::string found =
        at_ < text_.size() ? "'" + Printable(text_.substr(at_, 20)) + "'" : "the end";
    return Failure(Error{
        ErrorCode::kInvalidArgument,
        "marker: " + std::string(expected) + ", found " + found,
        "",
        {}}.With("offset", std::to_string(at_)));
  }

  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  std::string_view PeekWord() {
    SkipSpace();
    std::size_t end = at_;
    while (end < text_.size() && IsWordCharacter(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  bool TakeWord(std::string_view word) {
    if (PeekWord() != word) return false;
    at_ += word.size();
    return true;
  }

  bool Consume(std::string_view token) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  template <typename Part>
  Result<NodePtr> Chain(Node::Kind kind, std::string_view word, Part part) {
    KINETIC_ASSIGN_OR_RETURN(NodePtr first, part());
    std::vector<NodePtr> operands{std::move(first)};
    while (TakeWord(word)) {
      KINETIC_ASSIGN_OR_RETURN(NodePtr next, part());
      operands.push_back(std::move(next));
    }
    if (operands.size() == 1) return operands.front();
    auto node = std::make_shared<Node>();
    node->kind = kind;
    for (auto& operand : operands) {  // (a and b) and c is a and b and c
      if (operand->kind == kind) {
        node->operands.insert(node->operands.end(), operand->operands.begin(),
                              operand->operands.end());
      } else {
        node->operands.push_back(std::move(operand));
      }
    }
    return NodePtr(std::move(node));
  }

  Result<NodePtr> Or(int depth) {
    return Chain(Node::Kind::kOr, "or", [&] { return And(depth); });
  }

  Result<NodePtr> And(int depth) {
    return Chain(Node::Kind::kAnd, "and", [&] { return Atom(depth); });
  }

  Result<NodePtr> Atom(int depth) {
    if (depth > kMaxDepth) return Problem("too many nested parentheses");
    if (Consume("(")) {
      KINETIC_ASSIGN_OR_RETURN(NodePtr inner, Or(depth + 1));
      if (!Consume(")")) return Problem("expected ')'");
      return inner;
    }
    auto node = std::make_shared<Node>();
    KINETIC_ASSIGN_OR_RETURN(node->left, Operand());
    KINETIC_ASSIGN_OR_RETURN(node->op, Operator());
    const std::size_t right = at_;
    KINETIC_ASSIGN_OR_RETURN(node->right, Operand());
    if (!node->left.variable && !node->right.variable) {
      at_ = right;
      return Problem("expected a variable on one side of the comparison");
    }
    return NodePtr(std::move(node));
  }

  Result<Node::Operand> Operand() {
    SkipSpace();
    if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'')) {
      const auto end = text_.find(text_[at_], at_ + 1);
      if (end == std::string_view::npos) return Problem("expected a closing quote");
      Node::Operand operand{false, std::string(text_.substr(at_ + 1, end - at_ - 1))};
      at_ = end + 1;
      return operand;
    }
    std::string_view word = PeekWord();
    const std::size_t length = word.size();
    for (const auto& [old, name] : kOldNames) {
      if (word == old) word = name;
    }
    if (std::find(kVariables.begin(), kVariables.end(), word) == kVariables.end()) {
      return Problem("expected a variable such as python_version, or a quoted string");
    }
    at_ += length;
    return Node::Operand{true, std::string(word)};
  }

  Result<std::string> Operator() {
    if (TakeWord("in")) return std::string("in");
    if (TakeWord("not")) {
      if (!TakeWord("in")) return Problem("expected 'in'");
      return std::string("not in");
    }
    for (const std::string_view op : {"===", "~=", "==", "!=", "<=", ">=", "<", ">"}) {
      if (Consume(op)) return std::string(op);
    }
    return Problem("expected a comparison such as '=='");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::shared_ptr<const Marker::Node>> ParseMarker(std::string_view text) {
  return MarkerParser(text).Whole();
}

}  // namespace kinetic::env
