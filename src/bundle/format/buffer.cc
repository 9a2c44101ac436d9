#include "bundle/format/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <new>
#include <vector>

namespace kinetic::bundle {
namespace {

char* MapMemory(std::size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

}  // namespace

/// The unused buffers of a pool.
class Buffer::FreeList {
 public:
  explicit FreeList(std::size_t size_bytes) : size_bytes_(size_bytes) {}
  FreeList(const FreeList&) = delete;
  FreeList& operator=(const FreeList&) = delete;
  ~FreeList() {
    for (char* memory : free_list_) ::munmap(memory, size_bytes_);
  }

  char* Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_list_.empty()) {
        char* memory = free_list_.back();
        free_list_.pop_back();
        return memory;
      }
      free_list_.reserve(++count_);
    }
    return MapMemory(size_bytes_);
  }

  void Release(char* memory) noexcept {
    const std::lock_guard lock(mutex_);
    free_list_.push_back(memory);  // does not allocate: Take reserved memory
  }

 private:
  const std::size_t size_bytes_;
  std::mutex mutex_;
  std::vector<char*> free_list_;
  std::size_t count_ = 0;
};

Buffer::Buffer(std::size_t size)
    : data_(size < kMappedBytes ? new char[size] : MapMemory(size)), size_(size) {}

Buffer::~Buffer() {
  if (pool_) {
    pool_->Release(data_);
  } else if (size_ < kMappedBytes) {
    delete[] data_;
  } else {
    ::munmap(data_, size_);
  }
}

void Buffer::Truncate(std::size_t size) {
  if (size < kMappedBytes) {
    *this = Copy(view().substr(0, size));
    return;
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto pages = [page](std::size_t bytes) { return (bytes + page - 1) / page * page; };
  if (pages(size) < pages(size_)) ::munmap(data_ + pages(size), pages(size_) - pages(size));
  size_ = size;
}

Buffer Buffer::Copy(std::string_view bytes) {
  Buffer buffer(bytes.size());
  if (!bytes.empty()) std::memcpy(buffer.data_, bytes.data(), bytes.size());
  return buffer;
}

BufferPool::BufferPool(std::size_t size_bytes)
    : size_bytes_(size_bytes), free_list_(std::make_shared<Buffer::FreeList>(size_bytes)) {}

Buffer BufferPool::Take() {
  Buffer buffer;
  buffer.data_ = free_list_->Take();
  buffer.size_ = size_bytes_;
  buffer.pool_ = free_list_;
  return buffer;
}

}  // namespace kinetic::bundle
