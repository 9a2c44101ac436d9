#include "jobspec/read/axis.h"

#include "base/strings.h"
#include "jobspec/schema/shape.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace kinetic::jobspec {
namespace {

using json::YamlNode;

/// A range of integers, both ends included.
struct IntegerSpan {
  std::int64_t first = 0;
  std::int64_t last = 0;

  /// Returns the number of integers, or nullopt if they are more than a job has tasks.
  std::optional<std::uint64_t> Size() const {
    const auto distance = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
    return distance < kMaxTasks ? std::optional(distance + 1) : std::nullopt;
  }
};

/// Returns whether a scalar has the form of a range, "1..5", with numbers of any kind.
bool LooksLikeRange(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kScalar || node.quoted) return false;
  const auto dots = node.text.find("..");
  const bool has_digit = node.text.find_first_of("0123456789") != std::string::npos;
  return dots != std::string::npos && dots > 0 && dots + 2 < node.text.size() && has_digit &&
         node.text.find_first_not_of("+-.0123456789eE") == std::string::npos;
}

std::optional<IntegerSpan> ParseSpan(std::string_view text) {
  const auto dots = text.find("..");
  const auto first = ParseInt(text.substr(0, dots));
  const auto last = ParseInt(text.substr(dots + 2));
  if (!first || !last || *first > *last) return std::nullopt;
  return IntegerSpan{*first, *last};
}

class AxisReader {
 public:
  AxisReader(ReadContext& context, ArgumentReader& reader) : context_(context), reader_(reader) {}

  /// Returns the values of one name, or nullopt after an error.
  std::optional<Value::List> Read(const YamlNode& node, const std::string& where) {
    if (node.kind == YamlNode::Kind::kList && !node.items.empty()) return ReadValues(node, where);
    if (LooksLikeRange(node)) return ReadSpan(node, where);
    if (node.members.size() == 1) {
      const auto& [key, value] = node.members[0];
      if (key.text == "range") return ReadRange(value, where + ".range");
      if (key.text.starts_with('$')) {
        const Value content = reader_.Read(node, where);
        const auto* list = content.AsList();
        if (list != nullptr && !list->empty()) return *list;
        if (!context_.diagnostics.ok()) return std::nullopt;
      }
    }
    const bool is_empty = node.kind == YamlNode::Kind::kList;
    Reject(node, where,
           fmt::format("found {}, expected a list of values, {{range: 5}}, or 1..5",
                       is_empty ? "an empty list" : Found(node)));
    return std::nullopt;
  }

 private:
  void Reject(const YamlNode& at, const std::string& where, const std::string& message) {
    context_.diagnostics.Add(at, where + ": " + message);
  }

  std::optional<Value::List> ReadValues(const YamlNode& node, const std::string& where) {
    Value::List values;
    for (const YamlNode& item : node.items) {
      const std::string place = fmt::format("{}[{}]", where, values.size());
      if (!LooksLikeRange(item)) {
        values.push_back(reader_.Read(item, place));
        continue;
      }
      const auto span = ReadSpan(item, where);
      if (!span) return std::nullopt;
      values.insert(values.end(), span->begin(), span->end());
      if (values.size() > kMaxTasks) break;
    }
    if (values.size() <= kMaxTasks) return values;
    Reject(node, where, fmt::format("found more than {} values", kMaxTasks));
    return std::nullopt;
  }

  /// Reads "1..5".
  std::optional<Value::List> ReadSpan(const YamlNode& node, const std::string& where) {
    if (const auto span = ParseSpan(node.text)) return Integers(node, where, *span);
    Reject(node, where,
           "found " + Found(node) +
               ", expected a range of ascending integers, such as 1..5; quote it to pass a text");
    return std::nullopt;
  }

  /// Reads the value of {range: N} or {range: [FIRST, LAST]}.
  std::optional<Value::List> ReadRange(const YamlNode& node, const std::string& where) {
    if (const auto count = IntOf(&node); count && *count >= 1)
      return Integers(node, where, {0, *count - 1});
    if (node.items.size() == 2) {
      const auto first = IntOf(node.items.data());
      const auto last = IntOf(&node.items[1]);
      if (first && last && *first <= *last) return Integers(node, where, {*first, *last});
    }
    Reject(node, where,
           "found " + Found(node) + ", expected a count of 1 or more, or [FIRST, LAST]");
    return std::nullopt;
  }

  std::optional<Value::List> Integers(const YamlNode& at, const std::string& where,
                                      const IntegerSpan& span) {
    const auto size = span.Size();
    if (!size) {
      Reject(at, where,
             fmt::format("the range from {} to {} has more than {} values", span.first, span.last,
                         kMaxTasks));
      return std::nullopt;
    }
    Value::List values;
    values.reserve(*size);
    for (std::uint64_t i = 0; i < *size; ++i)
      values.emplace_back(span.first + static_cast<std::int64_t>(i));
    return values;
  }

  ReadContext& context_;
  ArgumentReader& reader_;
};

}  // namespace

std::optional<Value::List> ReadAxis(const YamlNode& node, const std::string& where,
                                    ReadContext& context, ArgumentReader& reader) {
  return AxisReader(context, reader).Read(node, where);
}

}  // namespace kinetic::jobspec
