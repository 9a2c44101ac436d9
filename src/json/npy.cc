#include "json/npy.h"

#include "kinetic/try.h"

#include "base/large_buffer.h"
#include "base/strings.h"
#include "json/array_items.h"
#include "json/content.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <numeric>

namespace kinetic::json {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kVersionEnd = 8;

Failure Problem(std::string what) { return Fail(ErrorCode::kInvalidArgument, std::move(what)); }

std::uint32_t LittleEndian(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t i = bytes.size(); i > 0; --i)
    number = (number << 8U) | static_cast<unsigned char>(bytes[i - 1]);
  return number;
}

/// Returns the text after `key` in a header.
std::string_view AfterKey(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = header.substr(at + key.size());
  return rest.substr(std::min(rest.find_first_not_of(": "), rest.size()));
}

/// Returns the dtype: "<f4". Empty for a structure.
std::string_view DtypeIn(std::string_view header) {
  const std::string_view rest = AfterKey(header, "'descr'");
  return rest.starts_with('\'') ? rest.substr(1, rest.find('\'', 1) - 1) : std::string_view();
}

std::optional<ItemType> TypeOf(std::string_view dtype) {
  constexpr std::string_view kKinds = "fui";
  if (dtype.size() < 3 || (dtype[0] != '<' && dtype[0] != '|')) return std::nullopt;
  const auto bytes = ParseInt(dtype.substr(2));
  if (kKinds.find(dtype[1]) == std::string_view::npos || !bytes || *bytes < 1 || *bytes > 16)
    return std::nullopt;
  return ItemType{dtype[1], static_cast<std::size_t>(*bytes)};
}

Result<std::vector<std::size_t>> ShapeIn(std::string_view header) {
  std::string_view tuple = AfterKey(header, "'shape'");
  tuple = tuple.substr(0, tuple.find(')'));
  if (!tuple.starts_with('(')) return Problem("is damaged: its shape is not a tuple");
  std::vector<std::size_t> shape;
  for (const std::string_view part : Split(tuple.substr(1), ',')) {
    if (Trim(part).empty()) continue;
    const auto length = ParseInt(Trim(part));
    if (!length || *length < 0) return Problem("is damaged: its shape is not a tuple of integers");
    shape.push_back(static_cast<std::size_t>(*length));
  }
  return shape;
}

std::string TupleText(const std::vector<std::size_t>& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

Status CheckSize(const NpyFile& file, const std::vector<std::size_t>& shape, const ItemType& type) {
  if (ArrayBytes(shape, type.bytes) == file.items.size()) return {};
  return ShapeMismatch(shape, file.items.size() / type.bytes);
}

/// Returns the items of a column-major array in row-major order.
std::string ToRowMajor(std::string_view items, const std::vector<std::size_t>& shape,
                       std::size_t item_bytes) {
  std::vector<std::size_t> strides(shape.size());
  std::exclusive_scan(shape.begin(), shape.end(), strides.begin(), item_bytes, std::multiplies<>());
  std::vector<std::size_t> index(shape.size());
  std::string rows;
  rows.reserve(items.size());
  while (rows.size() < items.size()) {
    rows += items.substr(
        std::inner_product(index.begin(), index.end(), strides.begin(), std::size_t{0}),
        item_bytes);
    for (std::size_t axis = shape.size(); axis > 0 && ++index[axis - 1] == shape[axis - 1]; --axis)
      index[axis - 1] = 0;
  }
  return rows;
}

}  // namespace

std::optional<std::size_t> ArrayBytes(const std::vector<std::size_t>& shape,
                                      std::size_t item_bytes) {
  std::size_t size = item_bytes;
  for (const std::size_t length : shape) {
    if (__builtin_mul_overflow(size, length, &size)) return std::nullopt;
  }
  return size;
}

Failure ShapeMismatch(const std::vector<std::size_t>& shape, std::size_t items) {
  return Problem(fmt::format("shape {} does not match {} items", TupleText(shape), items));
}

Result<NpyFile> SplitNpy(std::string_view file) {
  if (!file.starts_with(kMagic) || file.size() < kVersionEnd) return Problem("is not an .npy file");
  const auto major = static_cast<unsigned char>(file[kMagic.size()]);
  if (major < 1 || major > 3)
    return Problem("has format " + std::to_string(major) + ", expected 1 to 3");
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (file.size() < kVersionEnd + length_bytes) return Problem("is truncated");
  const std::uint32_t length = LittleEndian(file.substr(kVersionEnd, length_bytes));
  const std::string_view rest = file.substr(kVersionEnd + length_bytes);
  if (rest.size() < length) return Problem("is truncated");
  const NpyFile parts{rest.substr(0, length), rest.substr(length)};
  for (const std::string_view key : {"'descr'", "'fortran_order'", "'shape'"})
    if (parts.header.find(key) == std::string_view::npos)
      return Problem("is damaged: its header has no " + std::string(key));
  if (parts.header.find("'|O'") != std::string_view::npos)
    return Problem("contains Python objects");
  return parts;
}

Result<NpyFile> SplitNpy(const Bytes& file) {
  const Pieces pieces = Content::PiecesOf(file);
  KINETIC_ASSIGN_OR_RETURN(NpyFile parts, SplitNpy(pieces[0]));
  if (!pieces[1].empty()) parts.items = pieces[1];
  return parts;
}

std::optional<std::size_t> ItemsOffset(std::string_view begin) {
  if (begin.size() < kVersionEnd || !begin.starts_with(kMagic)) return std::nullopt;
  const std::size_t length_bytes = static_cast<unsigned char>(begin[kMagic.size()]) == 1 ? 2 : 4;
  const std::size_t start = kVersionEnd + length_bytes;
  if (begin.size() < start) return std::nullopt;
  return start + LittleEndian(begin.substr(kVersionEnd, length_bytes));
}

std::string NpyHeader(const ItemType& type, const std::vector<std::size_t>& shape) {
  constexpr std::size_t kPrefix = kVersionEnd + 2;
  constexpr std::size_t kAlignment = 64;
  std::string header =
      fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': {}, }}",
                  type.bytes == 1 ? '|' : '<', type.kind, type.bytes, TupleText(shape));
  const std::size_t used = (kPrefix + header.size() + 1) % kAlignment;
  header.append((kAlignment - used) % kAlignment, ' ').append("\n");
  std::string begin(kMagic);
  begin.append("\x01\x00", 2);
  begin += static_cast<char>(header.size() & 0xFFU);
  begin += static_cast<char>(header.size() >> 8U);
  begin += header;
  return begin;
}

std::string WriteNpy(const ItemType& type, std::string_view items,
                     const std::vector<std::size_t>& shape) {
  const std::string header = NpyHeader(type, shape);
  std::string file;
  ReserveLarge(file, header.size() + items.size());
  file.append(header).append(items);
  return file;  // not the reference that append returns, which would be copied
}

Result<NpyArray> ReadNpy(const Bytes& file, const ItemType& type) {
  KINETIC_ASSIGN_OR_RETURN(const NpyFile parts, SplitNpy(file));
  const std::string_view dtype = DtypeIn(parts.header);
  const auto found = TypeOf(dtype);
  if (!found || (found != type && !IsConvertible(found->Name(), type)))
    return Problem(fmt::format("expected array of {}, found array of {}", type.Name(),
                               found ? found->Name() : dtype));
  KINETIC_ASSIGN_OR_RETURN(auto shape, ShapeIn(parts.header));
  KINETIC_RETURN_IF_ERROR(CheckSize(parts, shape, *found));
  NpyArray array{file, parts.items, std::move(shape)};
  const auto replace = [&](std::string items) {
    array.file = Bytes(std::move(items));
    array.items = array.file.view();
  };
  if (AfterKey(parts.header, "'fortran_order'").starts_with("True"))
    replace(ToRowMajor(array.items, array.shape, found->bytes));
  if (found != type) {
    KINETIC_ASSIGN_OR_RETURN(std::string items, ConvertItems(array.items, *found, type));
    replace(std::move(items));
  }
  return array;
}

Result<NpyDescription> DescribeNpy(const Bytes& file) {
  KINETIC_ASSIGN_OR_RETURN(const NpyFile parts, SplitNpy(file));
  const auto type = TypeOf(DtypeIn(parts.header));
  if (!type) return Problem("expected array of numbers");
  KINETIC_ASSIGN_OR_RETURN(auto shape, ShapeIn(parts.header));
  KINETIC_RETURN_IF_ERROR(CheckSize(parts, shape, *type));
  return NpyDescription{*type, std::move(shape)};
}

std::optional<NpyDescription> DescribeRows(std::string_view begin) {
  const auto parts = SplitNpy(begin);
  if (!parts || !AfterKey(parts->header, "'fortran_order'").starts_with("False"))
    return std::nullopt;
  const auto type = TypeOf(DtypeIn(parts->header));
  auto shape = ShapeIn(parts->header);
  if (!type || !shape) return std::nullopt;
  return NpyDescription{*type, *std::move(shape)};
}

Status CheckNpy(const Bytes& file) {
  KINETIC_ASSIGN_OR_RETURN(const NpyFile parts, SplitNpy(file));
  const auto type = TypeOf(DtypeIn(parts.header));
  if (!type) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto shape, ShapeIn(parts.header));
  return CheckSize(parts, shape, *type);
}

}  // namespace kinetic::json
