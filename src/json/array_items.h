#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::json {

/// The dtype of an array of numbers: kind f, u or i.
struct ItemType {
  char kind = 'f';
  std::size_t bytes = 8;
  bool operator==(const ItemType&) const = default;
  /// Returns numpy's name: "float32".
  std::string Name() const;
};

/// The items of an array, in a std::vector of the first C++ type of their kind and size.
class ItemVector {
 public:
  ItemVector() = default;
  /// Holds a std::vector.
  ItemVector(const ItemType& type, std::shared_ptr<void> vector, std::string_view bytes)
      : type_(type), vector_(std::move(vector)), bytes_(bytes) {}

  /// Returns an empty vector with memory for so many bytes, or nullopt for a type of which no C++
  /// type is the first: "float16".
  static std::optional<ItemVector> Make(const ItemType& type, std::size_t reserved_bytes);

  /// Appends bytes to a vector that Make returned.
  void Append(std::string_view bytes) { bytes_ = append_(vector_.get(), bytes_.size(), bytes); }

  const ItemType& type() const { return type_; }
  std::string_view bytes() const { return bytes_; }
  /// Returns the vector, which this object then no longer holds.
  std::shared_ptr<void> Take() {
    bytes_ = {};
    return std::exchange(vector_, nullptr);
  }

 private:
  /// Writes bytes at an offset, after which the vector ends. Returns all bytes.
  using AppendTo = std::string_view (*)(void* vector, std::size_t offset, std::string_view bytes);

  ItemType type_;
  std::shared_ptr<void> vector_;
  std::string_view bytes_;
  AppendTo append_ = nullptr;
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
