#include "env/marker.h"

#include "base/strings.h"
#include "base/try.h"
#include "env/names.h"
#include "env/specifier.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace kinetic::env {

struct Marker::Node {
  enum class Kind : std::uint8_t { kAnd, kOr, kCompare } kind = Kind::kCompare;
  std::vector<std::shared_ptr<const Node>> operands;  ///< of and, or

  struct Operand {
    bool variable = false;
    std::string text;
    std::string ToString() const {
      if (variable) return text;
      const char quote = text.find('"') == std::string::npos ? '"' : '\'';
      return quote + text + quote;
    }
  };
  Operand left, right;
  std::string op;
};

namespace {

using Node = Marker::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr int kMaxDepth = 100;

constexpr std::array<std::string_view, 12> kVariables{
    "python_version",      "python_full_version",    "os_name",
    "sys_platform",        "platform_release",       "platform_system",
    "platform_version",    "platform_machine",       "platform_python_implementation",
    "implementation_name", "implementation_version", "extra"};

/// Names from before PEP 508 that old packages still use.
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

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

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

  bool Take(std::string_view token) {
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
    if (depth > kMaxDepth) return Problem("expected fewer brackets");
    if (Take("(")) {
      KINETIC_ASSIGN_OR_RETURN(NodePtr inner, Or(depth + 1));
      if (!Take(")")) return Problem("expected ')'");
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
      return Problem("expected a variable such as python_version, or a quoted text");
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
      if (Take(op)) return std::string(op);
    }
    return Problem("expected a comparison such as '=='");
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool CompareTexts(const std::string& left, std::string_view op, const std::string& right) {
  if (op == "==" || op == "===") return left == right;
  if (op == "!=") return left != right;
  if (op == "<") return left < right;
  if (op == ">") return left > right;
  if (op == "<=") return left <= right;
  if (op == ">=") return left >= right;
  return false;
}

bool IsVersionVariable(std::string_view name) {
  return name == "python_version" || name == "python_full_version" ||
         name == "implementation_version";
}

/// The same comparison with its sides exchanged.
std::string_view Mirrored(std::string_view op) {
  if (op == "<") return ">";
  if (op == ">") return "<";
  if (op == "<=") return ">=";
  if (op == ">=") return "<=";
  return op;
}

bool CompareVersions(const std::string& value, std::string_view op, const std::string& against) {
  std::string_view rest = op;
  const auto parsed = Specifier::TakeOperator(rest);
  const auto candidate = Version::Parse(value);
  if (parsed && candidate) {
    if (const auto specifier = Specifier::Make(*parsed, against)) {
      return specifier->Matches(*candidate);
    }
  }
  return CompareTexts(value, op, against);
}

bool EvaluateExtra(const Node& node, const MarkerEnvironment& environment) {
  const std::string& asked = node.left.variable ? node.right.text : node.left.text;
  const bool chosen = environment.extras.contains(NormalizedName(asked));
  return node.op == "!=" ? !chosen : chosen;
}

bool EvaluateComparison(const Node& node, const MarkerEnvironment& environment) {
  const auto is_extra = [](const Node::Operand& o) { return o.variable && o.text == "extra"; };
  if (is_extra(node.left) || is_extra(node.right)) return EvaluateExtra(node, environment);
  const auto value = [&](const Node::Operand& operand) {
    if (!operand.variable) return operand.text;
    const auto found = environment.variables.find(operand.text);
    return found != environment.variables.end() ? found->second : std::string();
  };
  const std::string left = value(node.left);
  const std::string right = value(node.right);
  if (node.op == "in") return right.find(left) != std::string::npos;
  if (node.op == "not in") return right.find(left) == std::string::npos;
  if (node.left.variable && IsVersionVariable(node.left.text)) {
    return CompareVersions(left, node.op, right);
  }
  if (node.right.variable && IsVersionVariable(node.right.text)) {
    return CompareVersions(right, Mirrored(node.op), left);
  }
  return CompareTexts(left, node.op, right);
}

bool EvaluateNode(const Node& node, const MarkerEnvironment& environment) {
  const auto holds = [&](const NodePtr& part) { return EvaluateNode(*part, environment); };
  switch (node.kind) {
    case Node::Kind::kAnd:
      return std::all_of(node.operands.begin(), node.operands.end(), holds);
    case Node::Kind::kOr:
      return std::any_of(node.operands.begin(), node.operands.end(), holds);
    case Node::Kind::kCompare:
      return EvaluateComparison(node, environment);
  }
  return false;
}

std::string Print(const Node& node) {
  if (node.kind == Node::Kind::kCompare) {
    return node.left.ToString() + " " + node.op + " " + node.right.ToString();
  }
  std::vector<std::string> parts;
  for (const auto& operand : node.operands) {
    const bool bracketed = node.kind == Node::Kind::kAnd && operand->kind == Node::Kind::kOr;
    parts.push_back(bracketed ? "(" + Print(*operand) + ")" : Print(*operand));
  }
  return Join(parts, node.kind == Node::Kind::kAnd ? " and " : " or ");
}

}  // namespace

MarkerEnvironment MarkerEnvironment::For(std::string_view python, std::string_view platform) {
  const auto dash = platform.find('-');
  const std::string system(platform.substr(0, dash));
  const std::string machine(dash == std::string_view::npos ? "" : platform.substr(dash + 1));
  std::string full(python);
  if (std::count(full.begin(), full.end(), '.') < 2) full += ".0";
  const auto parts = Split(python, '.');
  const std::string minor =
      std::string(parts[0]) + (parts.size() > 1 ? "." + std::string(parts[1]) : "");
  MarkerEnvironment environment;
  environment.variables = {
      {"python_version", minor},
      {"python_full_version", full},
      {"os_name", system == "windows" ? "nt" : "posix"},
      {"sys_platform", system == "windows" ? "win32" : system},
      {"platform_system", system == "linux"     ? "Linux"
                          : system == "darwin"  ? "Darwin"
                          : system == "windows" ? "Windows"
                                                : system},
      {"platform_machine", machine},
      {"platform_release", ""},
      {"platform_version", ""},
      {"platform_python_implementation", "CPython"},
      {"implementation_name", "cpython"},
      {"implementation_version", full},
  };
  return environment;
}

Result<Marker> Marker::Parse(std::string_view text) {
  KINETIC_ASSIGN_OR_RETURN(NodePtr root, Parser(text).Whole());
  return Marker(std::move(root));
}

bool Marker::Evaluate(const MarkerEnvironment& environment) const {
  return EvaluateNode(*root_, environment);
}

std::string Marker::ToString() const { return Print(*root_); }

}  // namespace kinetic::env
