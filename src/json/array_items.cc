#include "json/array_items.h"

#include "base/large_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace kinetic::json {
namespace {

/// Calls `act` with a number of the C++ type for an item type. Returns nullopt for other types.
template <typename Act>
auto WithTypeOf(const ItemType& type, const Act& act) -> std::optional<decltype(act(double{}))> {
  if (type == ItemType{'f', 4}) return act(float{});
  if (type == ItemType{'f', 8}) return act(double{});
  if (type == ItemType{'i', 1}) return act(std::int8_t{});
  if (type == ItemType{'i', 2}) return act(std::int16_t{});
  if (type == ItemType{'i', 4}) return act(std::int32_t{});
  if (type == ItemType{'i', 8}) return act(std::int64_t{});
  if (type == ItemType{'u', 1}) return act(std::uint8_t{});
  if (type == ItemType{'u', 2}) return act(std::uint16_t{});
  if (type == ItemType{'u', 4}) return act(std::uint32_t{});
  if (type == ItemType{'u', 8}) return act(std::uint64_t{});
  return std::nullopt;
}

template <typename To, typename From>
bool Fits(From number) {
  if constexpr (std::is_integral_v<To>)
    return std::in_range<To>(number);
  else if constexpr (sizeof(From) > sizeof(To) && std::is_floating_point_v<From>)
    return !std::isfinite(number) || std::abs(number) <= std::numeric_limits<To>::max();
  else
    return true;
}

template <typename To, typename From>
Result<std::string> Convert(std::string_view items, const ItemType& to) {
  std::string converted;
  ReserveLarge(converted, items.size() / sizeof(From) * sizeof(To));
  for (; !items.empty(); items.remove_prefix(sizeof(From))) {
    From number{};
    items.copy(reinterpret_cast<char*>(&number), sizeof number);
    if (!Fits<To>(number))
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("expected {}, found {}", to.Name(), number));
    const auto item = static_cast<To>(number);  // NOLINT(bugprone-signed-char-misuse): a number
    converted.append(reinterpret_cast<const char*>(&item), sizeof item);
  }
  return converted;
}

template <typename From>
Value::List Numbers(std::string_view items) {
  Value::List numbers;
  for (; !items.empty(); items.remove_prefix(sizeof(From))) {
    From number{};
    items.copy(reinterpret_cast<char*>(&number), sizeof number);
    numbers.emplace_back(number);
  }
  return numbers;
}

/// Implements ItemVector::Append. The vector grows piece by piece, so that its zeros are replaced while
/// they are in the processor's cache.
template <typename T>
std::string_view AppendItems(void* vector, std::size_t offset, std::string_view bytes) {
  auto& items = *static_cast<std::vector<T>*>(vector);
  const std::size_t end = offset + bytes.size();
  items.resize((end + sizeof(T) - 1) / sizeof(T));
  auto* data = reinterpret_cast<char*>(items.data());
  if (!bytes.empty()) std::memcpy(data + offset, bytes.data(), bytes.size());
  return {data, end};
}

}  // namespace

std::optional<ItemVector> ItemVector::Make(const ItemType& type, std::size_t reserved_bytes) {
  return WithTypeOf(type, [&](auto item) {
    using T = decltype(item);
    const auto items = std::make_shared<std::vector<T>>();
    items->reserve((reserved_bytes + sizeof(T) - 1) / sizeof(T));
    PrepareLargeBuffer(items->data(), reserved_bytes);
    ItemVector made(type, items, {});
    made.append_ = &AppendItems<T>;
    return made;
  });
}

std::string ItemType::Name() const {
  return fmt::format("{}{}", kind == 'f' ? "float" : (kind == 'u' ? "uint" : "int"), bytes * 8);
}

bool IsConvertible(std::string_view name, const ItemType& to) {
  constexpr std::string_view kIntegers[] = {"int8",  "int16",  "int32",  "int64",
                                            "uint8", "uint16", "uint32", "uint64"};
  const bool is_integer = std::ranges::find(kIntegers, name) != std::end(kIntegers);
  return is_integer || (to.kind == 'f' && (name == "float32" || name == "float64"));
}

Result<std::string> ConvertItems(std::string_view items, const ItemType& from, const ItemType& to) {
  using Converted = Result<std::string>;
  const auto none = [&] {
    return Fail(ErrorCode::kInvalidArgument, "expected array of " + to.Name());
  };
  const auto result = WithTypeOf(from, [&](auto source) -> Converted {
    using From = decltype(source);
    const auto converted = WithTypeOf(to, [&](auto target) -> Converted {
      using To = decltype(target);
      if constexpr (std::is_integral_v<To> && !std::is_integral_v<From>)
        return none();
      else
        return Convert<To, From>(items, to);
    });
    return converted ? *converted : Converted(none());
  });
  return result ? *result : Converted(none());
}

std::optional<Value::List> NumbersIn(std::string_view items, const ItemType& type) {
  return WithTypeOf(type, [&](auto item) { return Numbers<decltype(item)>(items); });
}

}  // namespace kinetic::json
