#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::json {

/// The dtype of an array of numbers: kind f, u or i.
struct ItemType {
  char kind = 'f';
  std::size_t bytes = 8;
  bool operator==(const ItemType&) const = default;
  /// Returns numpy's name: "float32".
  std::string Name() const;
};

/// Returns whether the items of a numpy type, "float32", can be converted to another type: not from
/// floating point to an integer.
bool IsConvertible(std::string_view name, const ItemType& to);

/// Returns items as those of another type.
///
/// @errors  kInvalidArgument: the types are not convertible; an item does not fit: "expected int8,
///          found 300".
Result<std::string> ConvertItems(std::string_view items, const ItemType& from, const ItemType& to);

/// Returns items as numbers, or nullopt for other types than ConvertItems knows.
std::optional<Value::List> NumbersIn(std::string_view items, const ItemType& type);

}  // namespace kinetic::json
