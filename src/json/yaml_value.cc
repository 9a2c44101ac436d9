#include "base/strings.h"
#include "json/parse.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace kinetic::json {
namespace {

bool AllOf(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

std::optional<Value> IntegerOf(std::string_view text) {
  int base = 10;
  std::string_view digits = text;
  if (text.starts_with("0x")) {
    base = 16;
    digits = text.substr(2);
    if (!AllOf(digits, "0123456789abcdefABCDEF")) return std::nullopt;
  } else if (text.starts_with("0o")) {
    base = 8;
    digits = text.substr(2);
    if (!AllOf(digits, "01234567")) return std::nullopt;
  } else {
    const auto unsigned_part =
        text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text;
    if (!AllOf(unsigned_part, "0123456789")) return std::nullopt;
  }
  errno = 0;
  const long long value = std::strtoll(std::string(digits).c_str(), nullptr, base);
  if (errno == ERANGE) return Value(std::strtod(std::string(digits).c_str(), nullptr));
  return Value(std::int64_t{value});
}

std::optional<Value> FloatOf(std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto magnitude = negative || text.starts_with('+') ? text.substr(1) : text;
  if (magnitude == ".inf" || magnitude == ".Inf" || magnitude == ".INF") {
    const double infinity = std::numeric_limits<double>::infinity();
    return Value(negative ? -infinity : infinity);
  }
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return Value(std::nan(""));
  if (!AllOf(text, "0123456789.eE+-") ||
      magnitude.find_first_of("0123456789") == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size()) return std::nullopt;
  return Value(value);
}

Value ScalarOf(const YamlNode& node) {
  const std::string& text = node.text;
  if (node.quoted) return Value(text);
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return {};
  if (text == "true" || text == "True" || text == "TRUE") return Value(true);
  if (text == "false" || text == "False" || text == "FALSE") return Value(false);
  if (auto integer = IntegerOf(text)) return *std::move(integer);
  if (auto number = FloatOf(text)) return *std::move(number);
  return Value(text);
}

}  // namespace

Value ToValue(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kNull:
      return {};
    case YamlNode::Kind::kScalar:
      return ScalarOf(node);
    case YamlNode::Kind::kList: {
      Value::List list;
      for (const auto& item : node.items) list.push_back(ToValue(item));
      return Value(std::move(list));
    }
    case YamlNode::Kind::kMap: {
      Value::Map map;
      for (const auto& [key, value] : node.members) map.emplace_back(key.text, ToValue(value));
      return Value(std::move(map));
    }
  }
  return {};
}

}  // namespace kinetic::json
