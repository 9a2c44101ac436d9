#include "bundle/buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <new>

namespace kinetic::bundle {
Buffer::Buffer(std::size_t size) : size_(size) {
  if (size < kLarge) {
    data_ = new char[size];
    return;
  }
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<char*>(memory);
}

Buffer::~Buffer() {
  if (size_ < kLarge) {
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

}  // namespace kinetic::bundle
