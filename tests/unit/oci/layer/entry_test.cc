#include "oci/layer/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::oci {
namespace {

std::vector<std::string> Paths(const std::vector<Entry>& entries) {
  std::vector<std::string> paths;
  for (const Entry& entry : entries) paths.push_back(entry.path);
  return paths;
}

TEST(NormalizeEntries, SortsByBytesAndAddsParents) {
  const auto arranged = NormalizeEntries({Entry::FromBytes("b/c/d", ""), Entry::FromBytes("b-", ""),
                                          Entry::FromBytes("a", ""), Entry::Folder("b", 0700)});
  ASSERT_TRUE(arranged);
  EXPECT_THAT(Paths(*arranged), testing::ElementsAre("a", "b", "b-", "b/c", "b/c/d"));
  EXPECT_EQ((*arranged)[1].mode, 0700U);
  EXPECT_EQ((*arranged)[3].mode, 0755U);
  EXPECT_EQ((*arranged)[3].kind, Entry::Kind::kFolder);
}

TEST(NormalizeEntries, RejectsUnnormalizedPaths) {
  for (const std::string& path :
       std::vector<std::string>{"", "/", "/a", "a/", "a//b", ".", "./a", "a/.", "..", "a/../b"}) {
    const auto arranged = NormalizeEntries({Entry::FromBytes(path, "")});
    ASSERT_FALSE(arranged) << path;
    EXPECT_EQ(arranged.error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_FALSE(NormalizeEntries({Entry::FromBytes(std::string("a\0b", 3), "")}));
  EXPECT_TRUE(NormalizeEntries({Entry::FromBytes("..a/b..", "")}));
}

TEST(NormalizeEntries, RejectsConflictingEntries) {
  EXPECT_FALSE(NormalizeEntries({Entry::FromBytes("a", "1"), Entry::FromBytes("a", "2")}));
  EXPECT_FALSE(NormalizeEntries({Entry::FromBytes("a", ""), Entry::FromBytes("a/b", "")}));
  EXPECT_FALSE(NormalizeEntries({Entry::Symlink("a", "c"), Entry::FromBytes("a/b", "")}));
  EXPECT_FALSE(NormalizeEntries({Entry::Symlink("a", "")}));
  EXPECT_FALSE(NormalizeEntries({Entry::FromBytes("a", "", 010000)}));
  const auto twice = NormalizeEntries({Entry::Folder("a"), Entry::Folder("a")});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "image layer: 'a': duplicate path");
}

}  // namespace
}  // namespace kinetic::oci
