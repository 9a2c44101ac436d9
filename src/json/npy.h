#pragma once

#include "kinetic/value.h"

#include "json/array_items.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::json {

/// An .npy file, in parts that are views into it.
///
/// @source  https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
struct NpyFile {
  std::string_view header;  ///< "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
  std::string_view items;
};

/// Splits an .npy file of format 1 to 3 without Python objects. The items are not checked.
///
/// @errors  kInvalidArgument; the message continues "x.npy": "is truncated".
Result<NpyFile> SplitNpy(std::string_view file);
Result<NpyFile> SplitNpy(const Bytes& file);

/// Returns what precedes the items in an .npy file of format 1.
std::string NpyHeader(const ItemType& type, const std::vector<std::size_t>& shape);

/// Returns how many bytes of an .npy file precede its items, or nullopt if `begin` is too short to
/// tell, or not the beginning of an .npy file.
std::optional<std::size_t> ItemsOffset(std::string_view begin);

/// Returns an .npy file of format 1.
///
/// @param items  in row-major order and the byte order of this machine.
std::string WriteNpy(const ItemType& type, std::string_view items,
                     const std::vector<std::size_t>& shape);

/// An array, in row-major order.
struct NpyArray {
  Bytes file;              ///< contains the items
  std::string_view items;  ///< of `file`
  std::vector<std::size_t> shape;
};

/// Reads an .npy file as items of this type. Copies them only from another type or from column-major
/// order.
///
/// @errors  kInvalidArgument; the message continues the position of the array: "expected array of
///          int32, found array of float64"; "expected int8, found 300"; a damaged file.
Result<NpyArray> ReadNpy(const Bytes& file, const ItemType& type);

struct NpyDescription {
  ItemType type;
  std::vector<std::size_t> shape;
};

/// Returns the type and the shape of an .npy file of numbers, after checking its size.
///
/// @errors  kInvalidArgument; the message continues the position of the array.
Result<NpyDescription> DescribeNpy(const Bytes& file);

/// Same, of an .npy file in row-major order of which `begin` is what precedes the items. Does not
/// check its size. Returns nullopt for other files.
std::optional<NpyDescription> DescribeRows(std::string_view begin);

/// Returns the error of an array whose shape does not match its number of items: "shape (2, 3) does
/// not match 4 items".
Failure ShapeMismatch(const std::vector<std::size_t>& shape, std::size_t items);

/// Returns the size of an array in bytes, or nullopt if it does not fit in 64 bits.
std::optional<std::size_t> ArrayBytes(const std::vector<std::size_t>& shape,
                                      std::size_t item_bytes);

/// Checks that an .npy file has as many items as its shape requires.
///
/// @errors  kInvalidArgument; the message continues the position of the array.
Status CheckNpy(const Bytes& file);

}  // namespace kinetic::json
