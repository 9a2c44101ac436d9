#include "bundle/format/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::bundle {
namespace {

constexpr std::size_t kPoolBufferBytes = 1 << 20;

TEST(Buffer, KeepsItsContent) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, Buffer::kMappedBytes, kPoolBufferBytes}) {
    const std::string bytes(size, 'x');
    Buffer buffer = Buffer::Copy(bytes);
    Buffer moved = std::move(buffer);
    EXPECT_EQ(moved.view(), bytes);
    moved.Truncate(size / 2);
    EXPECT_EQ(moved.view(), bytes.substr(0, size / 2));
  }
}

TEST(BufferPool, ReusesBuffers) {
  BufferPool pool(kPoolBufferBytes);
  Buffer first = pool.Take();
  Buffer second = pool.Take();
  EXPECT_NE(first.data(), second.data());
  const char* where = first.data();
  EXPECT_EQ(first.size(), kPoolBufferBytes);
  std::fill_n(first.data(), kPoolBufferBytes, 'x');
  first = Buffer();
  const Buffer third = pool.Take();
  EXPECT_EQ(third.view().data(), where);
  EXPECT_EQ(third.view(), std::string(kPoolBufferBytes, 'x'));
  EXPECT_NE(pool.Take().data(), where);
}

TEST(BufferPool, BuffersOutliveThePool) {
  std::optional<BufferPool> pool(kPoolBufferBytes);
  Buffer kept = pool->Take();
  {
    const Buffer spare = pool->Take();
  }
  pool.reset();
  std::fill_n(kept.data(), kPoolBufferBytes, 'x');
  EXPECT_EQ(kept.view(), std::string(kPoolBufferBytes, 'x'));
}

}  // namespace
}  // namespace kinetic::bundle
