#include "jobspec/check_value.h"

#include "kinetic/printable.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "jobspec/diagnostics.h"
#include "json/bytes.h"
#include "json/npy.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace kinetic::jobspec {
namespace {

/// JSON has at most 500 levels, of which the record of a job needs some.
constexpr int kMaxArgumentLevels = 400;

Status CheckUtf8(std::string_view text, const std::string& where) {
  if (IsUtf8(text)) return {};
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", where, kNotUtf8));
}

Status CheckArray(const Value& content, const std::string& where) {
  const auto file = json::BytesIn(content);
  if (!file)
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: $npy is not valid base64", where));
  auto checked = json::CheckNpy(*file);
  return checked ? checked : Failure(std::move(checked).error().Context(where));
}

Status CheckLevel(const Value& value, const std::string& where, int level) {
  if (level > kMaxArgumentLevels)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("the argument is nested deeper than {} levels", kMaxArgumentLevels));
  if (const auto* text = value.AsString()) return CheckUtf8(*text, where);
  if (const auto* list = value.AsList()) {
    for (std::size_t i = 0; i < list->size(); ++i)
      KINETIC_RETURN_IF_ERROR(CheckLevel((*list)[i], fmt::format("{}[{}]", where, i), level + 1));
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return {};
  for (const auto& [key, member] : *map) {
    const bool is_array = map->size() == 1 && key == "$npy";
    if (is_array && (member.AsBytes() != nullptr || member.AsString() != nullptr))
      return CheckArray(member, where);
    const std::string inside = where + "." + Printable(key);
    KINETIC_RETURN_IF_ERROR(CheckUtf8(key, inside));
    KINETIC_RETURN_IF_ERROR(CheckLevel(member, inside, level + 1));
  }
  return {};
}

}  // namespace

Status CheckValue(const Value& value, const std::string& where) {
  return CheckLevel(value, where, 0);
}

}  // namespace kinetic::jobspec
