#include "base/hash/git_hash.h"

#include "base/strings.h"

#include <gtest/gtest.h>

namespace kinetic {
namespace {

/// IDs that `git hash-object` prints for "hello\n".
TEST(GitHash, ComputesIdsOfGit) {
  const auto id_of = [](std::size_t bytes) {
    GitHash hash(bytes);
    return ToHex(hash.Update(std::string_view("blob 6\0", 7)).Update("hello\n").Finish());
  };
  EXPECT_EQ(id_of(20), "ce013625030ba8dba906f756967f9e9ca394464a");
  EXPECT_EQ(id_of(32), "2cf8d83d9ee29543b34a87727421fdecb7e3f3a183d337639025de576db9ebb4");
}

}  // namespace
}  // namespace kinetic
