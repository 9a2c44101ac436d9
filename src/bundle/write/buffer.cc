#include "bundle/write/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <new>
#include <vector>

namespace kinetic::bundle {
namespace {

char* FromSystem(std::size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

}  // namespace

/// What nobody uses of a pool.
class Buffer::Spares {
 public:
  explicit Spares(std::size_t size_bytes) : size_bytes_(size_bytes) {}
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;
  ~Spares() {
    for (char* spare : spares_) ::munmap(spare, size_bytes_);
  }

  char* Take() {
    {
      const std::lock_guard lock(mutex_);
      if (!spares_.empty()) {
        char* spare = spares_.back();
        spares_.pop_back();
        return spare;
      }
      spares_.reserve(++made_);
    }
    return FromSystem(size_bytes_);
  }

  void GiveBack(char* spare) noexcept {
    const std::lock_guard lock(mutex_);
    spares_.push_back(spare);  // has the room: Take reserved it
  }

 private:
  const std::size_t size_bytes_;
  std::mutex mutex_;
  std::vector<char*> spares_;
  std::size_t made_ = 0;
};

Buffer::Buffer(std::size_t size)
    : data_(size < kLarge ? new char[size] : FromSystem(size)), size_(size) {}

Buffer::~Buffer() {
  if (pool_) {
    pool_->GiveBack(data_);
  } else if (size_ < kLarge) {
    delete[] data_;
  } else {
    ::munmap(data_, size_);
  }
}

void Buffer::Truncate(std::size_t size) {
  if (size < kLarge) {
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
    : size_bytes_(size_bytes), spares_(std::make_shared<Buffer::Spares>(size_bytes)) {}

Buffer BufferPool::Take() {
  Buffer buffer;
  buffer.data_ = spares_->Take();
  buffer.size_ = size_bytes_;
  buffer.pool_ = spares_;
  return buffer;
}

}  // namespace kinetic::bundle
