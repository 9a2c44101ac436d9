#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

namespace kinetic::bundle {

/// Owns bytes. Large buffers are mapped, and unmapped or returned to their pool when destroyed: the
/// heap would keep memory that one thread allocates and another frees.
///
/// @threads  as std::string.
class Buffer {
 public:
  /// Buffers of at least this size are mapped.
  static constexpr std::size_t kMappedBytes = 512 << 10;

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

  /// Frees all but the first `size` bytes. Must not be called on a buffer of a pool.
  void Truncate(std::size_t size);

  char* data() { return data_; }
  std::string_view view() const { return {data_, size_}; }
  std::size_t size() const { return size_; }

 private:
  friend class BufferPool;
  class FreeList;

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::shared_ptr<FreeList> pool_;  ///< null: not from a pool
};

/// Buffers of one size, which are reused without being cleared. Holds as many as were in use at
/// once.
///
/// @threads  safe to call concurrently; buffers may outlive the pool.
class BufferPool {
 public:
  /// @param size_bytes  of each buffer, at least Buffer::kMappedBytes.
  explicit BufferPool(std::size_t size_bytes);

  /// Returns a buffer with unspecified content.
  Buffer Take();

 private:
  std::size_t size_bytes_;
  std::shared_ptr<Buffer::FreeList> free_list_;
};

}  // namespace kinetic::bundle
