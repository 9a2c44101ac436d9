#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

namespace kinetic::bundle {

/// Owns bytes. Large ones come from the system and go back to it at once: the heap would keep what
/// one thread takes and another gives back, and memory would not be bounded by what is in use.
///
/// @threads  as std::string.
class Buffer {
 public:
  /// From this size on the bytes come from the system.
  static constexpr std::size_t kLarge = 512 << 10;

  Buffer() = default;
  explicit Buffer(std::size_t size);
  static Buffer Copy(std::string_view bytes);

  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer();

  /// Gives back what lies behind the first `size` bytes.
  void Truncate(std::size_t size);

  char* data() { return data_; }
  std::string_view view() const { return {data_, size_}; }
  std::size_t size() const { return size_; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace kinetic::bundle
