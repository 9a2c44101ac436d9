#pragma once

#include "kinetic/value.h"

#include "base/hash/digest.h"
#include "json/array_items.h"

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::json {

/// Bytes in the order of the pieces. The second one may be empty.
using Pieces = std::array<std::string_view, 2>;

/// What copies of Bytes share: a text, or the header of an .npy file and a std::vector with its items.
///
/// @threads  safe to call concurrently, except Take.
class Content {
 public:
  explicit Content(std::string text) : text_(std::move(text)) {}
  Content(std::string header, ItemVector items)
      : text_(std::move(header)), items_(std::move(items)) {}

  /// Returns the bytes of an .npy file, in row-major order, without copying its items.
  static Bytes Share(std::string header, ItemVector items);

  static Pieces PiecesOf(const Bytes& bytes);

  /// Returns whether bytes have a std::vector with items of this type.
  static bool HasItems(const Bytes& bytes, const ItemType& type);

  /// Takes the std::vector out of bytes that no other Bytes share. Returns null if there is none with
  /// items of this type.
  static std::shared_ptr<void> Take(Bytes& bytes, const ItemType& type);

  /// Returns the bytes in one piece. Copies those of an array once.
  std::string_view Whole();

 private:
  std::string text_;
  ItemVector items_;
  std::once_flag joined_;
  std::string whole_;  ///< of an array, once it is needed
};

/// Returns the digest of bytes.
inline Digest DigestOf(const Bytes& bytes) {
  const Pieces pieces = Content::PiecesOf(bytes);
  return Sha256().Update(pieces[0]).Update(pieces[1]).Finish();
}

/// Returns the number of bytes.
inline std::size_t SizeOf(const Bytes& bytes) {
  const Pieces pieces = Content::PiecesOf(bytes);
  return pieces[0].size() + pieces[1].size();
}

}  // namespace kinetic::json
