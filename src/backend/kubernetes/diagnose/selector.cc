#include "backend/kubernetes/diagnose/node_fit.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "base/strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace kinetic::backend {
namespace {

std::vector<std::string> TextsAt(const Value& object, FieldPath path) {
  std::vector<std::string> texts;
  for (const Value& item : ListAt(object, path)) {
    if (const std::string* text = item.AsString()) texts.push_back(*text);
  }
  return texts;
}

bool Meets(std::string_view operation, const std::vector<std::string>& values,
           std::optional<std::string_view> has) {
  const bool among = has && std::ranges::find(values, *has) != values.end();
  if (operation == "In") return among;
  if (operation == "NotIn") return !among;
  if (operation == "Exists") return has.has_value();
  if (operation == "DoesNotExist") return !has;
  if (!has || values.size() != 1) return false;
  const auto left = ParseInt(*has);
  const auto right = ParseInt(values.front());
  if (!left || !right) return false;
  return operation == "Gt" ? *left > *right : *left < *right;
}

std::optional<std::string_view> LabelOf(const Value& node, std::string_view key) {
  const Value* label = At(node, {"metadata", "labels", key});
  const std::string* text = label == nullptr ? nullptr : label->AsString();
  return text == nullptr ? std::nullopt : std::optional<std::string_view>(*text);
}

std::string ShowUnmet(std::string_view key, std::string_view operation,
                      const std::vector<std::string>& values, std::optional<std::string_view> has) {
  std::string text(key);
  if (operation == "In" && values.size() == 1) {
    text += "=" + values.front();
  } else if (operation == "In" || operation == "NotIn") {
    text += fmt::format(" {} ({})", operation == "In" ? "in" : "not in", Join(values, ", "));
  } else if (operation == "Exists" || operation == "DoesNotExist") {
    text += operation == "Exists" ? " set" : " not set";
  } else {
    text += fmt::format(" {} {}", operation == "Gt" ? ">" : "<", Join(values, ", "));
  }
  return text + (has ? fmt::format(" (has {})", *has) : std::string());
}

/// Returns the unmatched parts of one affinity term.
std::vector<std::string> UnmetIn(const Value& term, const Value& node) {
  std::vector<std::string> unmet;
  for (const Value& expression : ListAt(term, {"matchExpressions"})) {
    const std::string_view key = TextAt(expression, {"key"});
    const std::string_view operation = TextAt(expression, {"operator"});
    const auto values = TextsAt(expression, {"values"});
    const auto has = LabelOf(node, key);
    if (!Meets(operation, values, has)) unmet.push_back(ShowUnmet(key, operation, values, has));
  }
  for (const Value& field : ListAt(term, {"matchFields"})) {
    const auto values = TextsAt(field, {"values"});
    if (!Meets(TextAt(field, {"operator"}), values, NameOf(node))) {
      unmet.push_back(ShowUnmet("the name", TextAt(field, {"operator"}), values, NameOf(node)));
    }
  }
  return unmet;
}

bool Tolerates(const Value& toleration, const Value& taint) {
  const std::string_view effect = TextAt(toleration, {"effect"});
  if (!effect.empty() && effect != TextAt(taint, {"effect"})) return false;
  const std::string_view key = TextAt(toleration, {"key"});
  const bool exists = TextAt(toleration, {"operator"}) == "Exists";
  if (key.empty()) return exists;
  if (key != TextAt(taint, {"key"})) return false;
  return exists || TextAt(toleration, {"value"}) == TextAt(taint, {"value"});
}

}  // namespace

std::vector<std::string> UnmetSelectors(const Value& pod, const Value& node) {
  std::vector<std::string> unmet;
  for (const auto& [key, wanted] : MapAt(pod, {"spec", "nodeSelector"})) {
    const std::string* text = wanted.AsString();
    const auto has = LabelOf(node, key);
    if (text == nullptr || (has && *has == *text)) continue;
    unmet.push_back(ShowUnmet(key, "In", {*text}, has));
  }
  std::optional<std::vector<std::string>> nearest;
  for (const Value& term :
       ListAt(pod, {"spec", "affinity", "nodeAffinity",
                    "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"})) {
    auto missing = UnmetIn(term, node);
    if (!nearest || missing.size() < nearest->size()) nearest = std::move(missing);
  }
  if (nearest) unmet.insert(unmet.end(), nearest->begin(), nearest->end());
  return unmet;
}

std::vector<std::string> UntoleratedTaints(const Value& pod, const Value& node) {
  std::vector<std::string> untolerated;
  const Value::List& tolerations = ListAt(pod, {"spec", "tolerations"});
  for (const Value& taint : ListAt(node, {"spec", "taints"})) {
    if (TextAt(taint, {"effect"}) == "PreferNoSchedule") continue;
    if (std::ranges::any_of(tolerations, [&](const Value& each) { return Tolerates(each, taint); }))
      continue;
    const std::string_view value = TextAt(taint, {"value"});
    untolerated.push_back(fmt::format("{}{}{}:{}", TextAt(taint, {"key"}), value.empty() ? "" : "=",
                                      value, TextAt(taint, {"effect"})));
  }
  return untolerated;
}

}  // namespace kinetic::backend
