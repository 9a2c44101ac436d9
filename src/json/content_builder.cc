#include "json/content_builder.h"

#include "base/large_buffer.h"
#include "json/content.h"
#include "json/npy.h"

#include <algorithm>
#include <utility>

namespace kinetic::json {
namespace {

/// Longer headers do not occur.
constexpr std::size_t kMaxHeaderBytes = 64U << 10;
/// The expected size may be wrong.
constexpr std::uint64_t kMaxReservedBytes = std::uint64_t{1} << 30;

}  // namespace

void ContentBuilder::Append(std::string_view piece) {
  if (items_) return items_->Append(piece);
  text_ += piece;
  if (!has_begun_) Begin();
}

void ContentBuilder::Begin() {
  const std::size_t offset = ItemsOffset(text_).value_or(kMaxHeaderBytes);
  if (text_.size() < std::min(offset, kMaxHeaderBytes) && text_.size() < size_bytes_) return;
  has_begun_ = true;
  const auto reserved = static_cast<std::size_t>(std::min(size_bytes_, kMaxReservedBytes));
  const auto array = offset <= text_.size()
                         ? DescribeRows(std::string_view(text_).substr(0, offset))
                         : std::nullopt;
  if (array && reserved >= offset) items_ = ItemVector::Make(array->type, reserved - offset);
  if (!items_) return ReserveLarge(text_, reserved);
  items_->Append(std::string_view(text_).substr(offset));
  text_.resize(offset);
}

Bytes ContentBuilder::Finish() {
  if (items_) return Content::Share(std::move(text_), *std::move(items_));
  if (text_.size() < size_bytes_) text_.shrink_to_fit();
  return Bytes(std::move(text_));
}

}  // namespace kinetic::json
