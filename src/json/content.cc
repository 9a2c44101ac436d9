#include "json/content.h"

#include "base/large_buffer.h"

#include <atomic>
#include <utility>

namespace kinetic::json {

Bytes Content::Share(std::string header, ItemVector items) {
  Bytes bytes;
  bytes.content_ = std::make_shared<Content>(std::move(header), std::move(items));
  return bytes;
}

Pieces Content::PiecesOf(const Bytes& bytes) {
  if (bytes.content_ == nullptr) return {};
  return {bytes.content_->text_, bytes.content_->items_.bytes()};
}

bool Content::HasItems(const Bytes& bytes, const ItemType& type) {
  return bytes.content_ != nullptr && !bytes.content_->items_.bytes().empty() &&
         bytes.content_->items_.type() == type;
}

std::shared_ptr<void> Content::Take(Bytes& bytes, const ItemType& type) {
  if (bytes.content_.use_count() != 1 || !HasItems(bytes, type)) return nullptr;
  // After what other threads did before they released their copies.
  std::atomic_thread_fence(std::memory_order_acquire);
  return bytes.content_->items_.Take();
}

std::string_view Content::Whole() {
  if (items_.bytes().empty()) return text_;
  std::call_once(joined_, [this] {
    ReserveLarge(whole_, text_.size() + items_.bytes().size());
    whole_.append(text_).append(items_.bytes());
  });
  return whole_;
}

}  // namespace kinetic::json

namespace kinetic::inline v0 {

Bytes::Bytes(std::string content) : content_(std::make_shared<json::Content>(std::move(content))) {}

std::string_view Bytes::view() const { return content_ ? content_->Whole() : std::string_view(); }

bool Bytes::operator==(const Bytes& other) const {
  const json::Pieces mine = json::Content::PiecesOf(*this);
  const json::Pieces others = json::Content::PiecesOf(other);
  return mine[0].size() == others[0].size() ? mine == others : view() == other.view();
}

}  // namespace kinetic::inline v0
