#include "backend/kubernetes/manifest/object_fields.h"

#include "base/strings.h"
#include "base/time/clock.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace kinetic::backend {
namespace {

const Value::List kNoItems;
const Value::Map kNoMembers;

struct Suffix {
  std::string_view text;
  double factor;
};

constexpr double kKibi = 1024;

constexpr std::array kSuffixes = {
    Suffix{"", 1},
    Suffix{"n", 1e-9},
    Suffix{"u", 1e-6},
    Suffix{"m", 1e-3},
    Suffix{"k", 1e3},
    Suffix{"M", 1e6},
    Suffix{"G", 1e9},
    Suffix{"T", 1e12},
    Suffix{"P", 1e15},
    Suffix{"E", 1e18},
    Suffix{"Ki", kKibi},
    Suffix{"Mi", kKibi* kKibi},
    Suffix{"Gi", kKibi* kKibi* kKibi},
    Suffix{"Ti", kKibi* kKibi* kKibi* kKibi},
    Suffix{"Pi", kKibi* kKibi* kKibi* kKibi* kKibi},
    Suffix{"Ei", kKibi* kKibi* kKibi* kKibi* kKibi* kKibi},
};

const Value* Named(const Value::List& list, std::string_view key, std::string_view name) {
  const auto found =
      std::ranges::find_if(list, [&](const Value& item) { return TextAt(item, {key}) == name; });
  return found == list.end() ? nullptr : &*found;
}

bool IsBytes(std::string_view resource) {
  return resource.ends_with("memory") || resource.ends_with("storage") ||
         resource.find("hugepages") != std::string_view::npos;
}

}  // namespace

std::optional<std::int64_t> IntAt(const Value& object, FieldPath path) {
  const Value* value = At(object, path);
  const std::int64_t* number = value == nullptr ? nullptr : value->AsInt();
  return number == nullptr ? std::nullopt : std::optional(*number);
}

bool BoolAt(const Value& object, FieldPath path) {
  const Value* value = At(object, path);
  const bool* flag = value == nullptr ? nullptr : value->AsBool();
  return flag != nullptr && *flag;
}

std::optional<WallTime> TimeAt(const Value& object, FieldPath path) {
  const std::string_view text = TextAt(object, path);
  // A container that could not be started has a start time in 1970.
  const auto time = text.empty() ? std::nullopt : ParseTime(text);
  return time && *time > WallTime() ? time : std::nullopt;
}

const Value::List& ListAt(const Value& object, FieldPath path) {
  const Value* value = At(object, path);
  const Value::List* list = value == nullptr ? nullptr : value->AsList();
  return list == nullptr ? kNoItems : *list;
}

const Value::Map& MapAt(const Value& object, FieldPath path) {
  const Value* value = At(object, path);
  const Value::Map* map = value == nullptr ? nullptr : value->AsMap();
  return map == nullptr ? kNoMembers : *map;
}

const Value* ConditionOf(const Value& object, std::string_view type) {
  return Named(ListAt(object, {"status", "conditions"}), "type", type);
}

bool IsConditionTrue(const Value& object, std::string_view type) {
  const Value* condition = ConditionOf(object, type);
  return condition != nullptr && TextAt(*condition, {"status"}) == "True";
}

const Value* ContainerStatus(const Value& pod, std::string_view container) {
  const Value* status = Named(ListAt(pod, {"status", "containerStatuses"}), "name", container);
  if (status != nullptr) return status;
  return Named(ListAt(pod, {"status", "initContainerStatuses"}), "name", container);
}

const Value* ContainerSpec(const Value& pod, std::string_view container) {
  const Value* spec = Named(ListAt(pod, {"spec", "containers"}), "name", container);
  if (spec != nullptr) return spec;
  return Named(ListAt(pod, {"spec", "initContainers"}), "name", container);
}

std::optional<double> ParseQuantity(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view suffix(end, text.data() + text.size());
  const auto* const found = std::ranges::find(kSuffixes, suffix, &Suffix::text);
  if (found == kSuffixes.end()) return std::nullopt;
  return number * found->factor;
}

double QuantityIn(const Value::Map& resources, std::string_view resource) {
  const auto found = std::ranges::find(resources, resource, &Value::Map::value_type::first);
  if (found == resources.end()) return 0;
  if (const std::int64_t* whole = found->second.AsInt()) return static_cast<double>(*whole);
  if (const double* number = found->second.AsDouble()) return *number;
  const std::string* text = found->second.AsString();
  return text == nullptr ? 0 : ParseQuantity(*text).value_or(0);
}

std::string FormatAmount(std::string_view resource, double amount) {
  if (!IsBytes(resource)) return fmt::format("{:.6g}", amount);
  std::string text = FormatBytes(static_cast<std::uint64_t>(std::max(0.0, amount)));
  const std::size_t zero = text.find(".0 ");
  if (zero != std::string::npos) text.erase(zero, 2);
  return text;
}

}  // namespace kinetic::backend
