#include "base/large_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace kinetic {
namespace {

/// Returns the flags of the mapping that contains an address, as in /proc/self/smaps.
std::string FlagsOf(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  bool found = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    char dash = 0;
    std::istringstream words(line);
    if (words >> std::hex >> begin >> dash >> end && dash == '-') {
      const auto wanted = reinterpret_cast<std::uintptr_t>(address);
      found = begin <= wanted && wanted < end;
    }
    if (found && line.starts_with("VmFlags:")) return line;
  }
  return {};
}

TEST(LargeBuffer, AsksForHugePages) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
    GTEST_SKIP() << "this kernel has no transparent huge pages";
  constexpr std::size_t kBytes = 64U << 20;
  std::string text;
  ReserveLarge(text, kBytes);
  EXPECT_GE(text.capacity(), kBytes);
  EXPECT_NE(FlagsOf(text.data() + kBytes / 2).find(" hg"), std::string::npos);
  text.assign(kBytes, 'x');
  EXPECT_EQ(text.find_first_not_of('x'), std::string::npos);
}

TEST(LargeBuffer, LeavesSmallBuffersAlone) {
  std::string text;
  ReserveLarge(text, 100);
  EXPECT_GE(text.capacity(), 100U);
  PrepareLargeBuffer(nullptr, 0);
}

}  // namespace
}  // namespace kinetic
