#include "base/large_buffer.h"

#include <sys/mman.h>

#include <memory>

namespace kinetic {
namespace {

constexpr std::size_t kLargeBytes = 8U << 20;
constexpr std::size_t kHugePageBytes = 2U << 20;

}  // namespace

void PrepareLargeBuffer(void* data, std::size_t size_bytes) {
  if (size_bytes < kLargeBytes) return;
  if (std::align(kHugePageBytes, kHugePageBytes, data, size_bytes) == nullptr) return;
  // Without support for huge pages, the buffer is slower and nothing else.
  (void)::madvise(data, size_bytes / kHugePageBytes * kHugePageBytes, MADV_HUGEPAGE);
}

void ReserveLarge(std::string& text, std::size_t size_bytes) {
  text.reserve(size_bytes);
  PrepareLargeBuffer(text.data(), size_bytes);
}

}  // namespace kinetic
