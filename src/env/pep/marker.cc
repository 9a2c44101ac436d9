#include "kinetic/try.h"

#include "base/strings.h"
#include "env/pep/requirement.h"
#include "env/pep/version.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

using Node = Marker::Node;
using NodePtr = std::shared_ptr<const Node>;

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

/// Returns the operator with its operands exchanged.
std::string_view Mirrored(std::string_view op) {
  if (op == "<") return ">";
  if (op == ">") return "<";
  if (op == "<=") return ">=";
  if (op == ">=") return "<=";
  return op;
}

bool CompareVersions(const std::string& value, std::string_view op, const std::string& operand) {
  std::string_view rest = op;
  const auto parsed = Specifier::ConsumeOperator(rest);
  const auto candidate = Version::Parse(value);
  if (parsed && candidate) {
    if (const auto specifier = Specifier::Parse(*parsed, operand)) {
      return specifier->Matches(*candidate);
    }
  }
  return CompareTexts(value, op, operand);
}

bool EvaluateExtra(const Node& node, const MarkerEnvironment& environment) {
  const std::string& extra = node.left.variable ? node.right.text : node.left.text;
  const bool chosen = environment.extras.contains(NormalizedName(extra));
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
  KINETIC_ASSIGN_OR_RETURN(NodePtr root, ParseMarker(text));
  return Marker(std::move(root));
}

bool Marker::Evaluate(const MarkerEnvironment& environment) const {
  return EvaluateNode(*root_, environment);
}

std::string Marker::ToString() const { return Print(*root_); }

}  // namespace kinetic::env
