#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace kinetic::bundle {

/// Owns bytes. Large ones come from the system and go back to it at once, or to the pool that they
/// are from: the heap would keep what one thread takes and another gives back, and memory would not
/// be bounded by what is in use.
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
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        pool_(std::move(other.pool_)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(pool_, other.pool_);
    return *this;
  }
  ~Buffer();

  /// Gives back what lies behind the first `size` bytes. Not of a pool's buffer.
  void Truncate(std::size_t size);

  char* data() { return data_; }
  std::string_view view() const { return {data_, size_}; }
  std::size_t size() const { return size_; }

 private:
  friend class BufferPool;
  class Spares;

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<Spares> pool_;  ///< where the bytes go back to
};

/// Buffers of one size, which come back when they are destroyed and are given out again as they
/// are: memory from the system comes page by page, each of which is cleared first. Holds as many as
/// were in use at once.
///
/// @threads  safe to call concurrently; its buffers may outlive it.
class BufferPool {
 public:
  /// @param size_bytes  of each buffer, at least Buffer::kLarge.
  explicit BufferPool(std::size_t size_bytes);

  /// Its bytes are what somebody left in it.
  Buffer Take();

 private:
  std::size_t size_bytes_;
  std::shared_ptr<Buffer::Spares> spares_;
};

}  // namespace kinetic::bundle
