#include "bundle/buffer.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace kinetic::bundle {
namespace {

constexpr std::size_t kLarge = 512 << 10;

}  // namespace

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

Buffer Buffer::Copy(std::string_view bytes) {
  Buffer buffer(bytes.size());
  if (!bytes.empty()) std::memcpy(buffer.data_, bytes.data(), bytes.size());
  return buffer;
}

}  // namespace kinetic::bundle
