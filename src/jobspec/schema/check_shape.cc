#include "jobspec/schema/check.h"
#include "jobspec/schema/foreign_keys.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace kinetic::jobspec {
namespace {

using json::YamlNode;

class ShapeCheck {
 public:
  ShapeCheck(Diagnostics& diagnostics, Positions& positions)
      : diagnostics_(diagnostics), positions_(positions) {}

  void Check(const YamlNode& node, const Shape& shape, const std::string& path) {
    if (shape.any) return;
    switch (node.kind) {
      case YamlNode::Kind::kList:
        return CheckList(node, shape, path);
      case YamlNode::Kind::kMap:
        if (!shape.keys.empty()) return CheckKeys(node, shape, path);
        return CheckValues(node, shape, path);
      default:
        if (!AcceptsScalar(node, shape)) Mismatch(node, shape, path);
    }
  }

 private:
  static std::string Prefix(const std::string& path) { return path.empty() ? path : path + ": "; }
  static std::string Nested(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

  void Mismatch(const YamlNode& node, const Shape& shape, const std::string& path) {
    std::string message =
        Prefix(path) + "found " + Found(node) + ", expected " + std::string(shape.expected);
    const bool is_string =
        node.kind == YamlNode::Kind::kScalar && json::ToValue(node).AsString() != nullptr;
    if (node.kind == YamlNode::Kind::kScalar && !is_string && !shape.hint.empty()) {
      message += "; " + std::string(shape.hint);
    }
    if (is_string && !shape.choices.empty()) {
      message += DidYouMean(node.text, {shape.choices.begin(), shape.choices.end()});
    }
    message += PathAdvice(node, path);
    if (shape.suggests_unit) message += UnitSuggestion(node.text, *shape.range);
    diagnostics_.Add(node, std::move(message));
  }

  /// A program gets a path only as an argument.
  static std::string PathAdvice(const YamlNode& node, const std::string& path) {
    const bool is_path = node.members.size() == 1 && node.members[0].key.text == "$path";
    if (!is_path || (!path.starts_with("run") && !path.starts_with("env"))) return {};
    return "; a program gets a path as an option: `args: {data: {$path: " +
           node.members[0].value.text + "}}` adds --data PATH";
  }

  static std::string UnitSuggestion(const std::string& text, const Range& range) {
    if (text.find_first_not_of("0123456789.") != std::string::npos) return {};
    const auto value = range.measure(text);
    if (!value || *value < 1 || *value >= range.min) return {};
    constexpr double kMostGi = 1000;
    return "; did you mean " + text + (*value < kMostGi ? "Gi?" : "Mi?");
  }

  static bool AcceptsScalar(const YamlNode& node, const Shape& shape) {
    return AcceptsKind(node, shape) && (!shape.range || IsInRange(node, *shape.range));
  }

  static bool IsInRange(const YamlNode& node, const Range& range) {
    const auto value = range.measure == nullptr ? NumberOf(node) : range.measure(node.text);
    return value && *value >= range.min && *value <= range.max;
  }

  static std::optional<double> NumberOf(const YamlNode& node) {
    const Value value = json::ToValue(node);
    if (const auto* integer = value.AsInt()) return static_cast<double>(*integer);
    return value.AsDouble() == nullptr ? std::nullopt : std::optional(*value.AsDouble());
  }

  static bool AcceptsKind(const YamlNode& node, const Shape& shape) {
    const Value value = json::ToValue(node);
    if (value.IsNull()) return shape.null;
    if (value.AsBool() != nullptr) return shape.boolean || shape.as_written;
    if (const auto* text = value.AsString()) {
      return shape.text && (shape.text->accepts == nullptr || shape.text->accepts(*text));
    }
    if (shape.as_written) return true;
    if (const auto* integer = value.AsInt()) {
      if (shape.number) return true;
      return shape.integer && *integer >= shape.integer->min && *integer <= shape.integer->max;
    }
    const double number = *value.AsDouble();
    return shape.number && std::isfinite(number);
  }

  void CheckList(const YamlNode& node, const Shape& shape, const std::string& path) {
    if (shape.items == nullptr) return Mismatch(node, shape, path);
    if (node.items.size() < shape.min_items) {
      diagnostics_.Add(
          node, Prefix(path) + "found an empty list, expected " + std::string(shape.expected));
    }
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      Check(node.items[i], *shape.items, path + "[" + std::to_string(i) + "]");
    }
  }

  void CheckValues(const YamlNode& node, const Shape& shape, const std::string& path) {
    if (shape.values == nullptr) return Mismatch(node, shape, path);
    for (const auto& [key, value] : node.members) {
      const std::string nested = Nested(path, key.text);
      if (shape.names.accepts != nullptr && !shape.names.accepts(key.text)) {
        diagnostics_.Add(key, Prefix(path) + "invalid name " + Found(key) + "; expected " +
                                  std::string(shape.expected_names));
        continue;
      }
      positions_.emplace(nested, diagnostics_.PositionOf(value));
      Check(value, *shape.values, nested);
    }
  }

  void CheckKeys(const YamlNode& node, const Shape& shape, const std::string& path) {
    for (const auto& [key, value] : node.members) {
      const auto known = std::ranges::find_if(
          shape.keys, [&](const Key& candidate) { return candidate.name == key.text; });
      if (known == shape.keys.end()) {
        Unknown(key, shape, path);
        continue;
      }
      const std::string nested = Nested(path, key.text);
      positions_.emplace(nested, diagnostics_.PositionOf(value));
      Check(value, *known->shape, nested);
    }
    for (const auto& key : shape.keys) {
      const bool present = std::ranges::any_of(
          node.members, [&](const auto& member) { return member.key.text == key.name; });
      if (key.required && !present) {
        diagnostics_.Add(node, Prefix(path) + "missing key " + std::string(key.name) +
                                   "; expected " + std::string(key.shape->expected));
      }
    }
  }

  void Unknown(const YamlNode& key, const Shape& shape, const std::string& path) {
    const bool is_string =
        key.kind == YamlNode::Kind::kScalar && json::ToValue(key).AsString() != nullptr;
    if (!is_string || (key.text == "<<" && !key.quoted)) return;  // CheckTree reports it
    if (diagnostics_.full()) return diagnostics_.Add(key, {});
    std::vector<std::string> names;
    std::string list;
    for (const auto& known : shape.keys) {
      names.emplace_back(known.name);
      list += (list.empty() ? "" : ", ") + names.back();
    }
    const std::string_view advice = ForeignKeyAdvice(path, key.text);
    std::string help = advice.empty() ? DidYouMean(key.text, names) : "; " + std::string(advice);
    constexpr std::size_t kMostListed = 8;
    if (help.empty()) {
      help = names.size() <= kMostListed ? "; expected one of " + list
                                         : "; run 'kinetic schema' to list all keys";
    }
    diagnostics_.Add(key, Prefix(path) + "unknown key " + Found(key) + help);
  }

  Diagnostics& diagnostics_;
  Positions& positions_;
};

}  // namespace

void CheckShape(const YamlNode& root, const Shape& shape, Diagnostics& diagnostics,
                Positions& positions) {
  ShapeCheck(diagnostics, positions).Check(root, shape, "");
}

}  // namespace kinetic::jobspec
