#include "runner/collector.h"

#include "bundle/tree.h"
#include "bundle/tree_code.h"
#include "record/layout.h"
#include "support/fake_clock.h"
#include "support/faulty_file_system.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace kinetic::runner {
namespace {

using ::testing::HasSubstr;

/// What a collector lays down when the disk of its pod is full.
class FullDiskTest : public ::testing::Test {
 protected:
  FullDiskTest() {
    record_.id = "k-1";
    record_.tree = PutFolder("code");
    record_.environment = {PutFolder("lib"), "3.12", 0, 0};
  }

  /// A tree of one empty folder.
  Digest PutFolder(const std::string& name) {
    bundle::Tree tree;
    tree.entries.push_back(
        {.path = name, .type = BundleEntry::Type::kEmptyFolder, .content = Sha256::Of("")});
    const Digest digest = bundle::TreeDigest(tree.entries);
    EXPECT_TRUE(store::PutBytes(store_, record::TreeName(digest), *bundle::EncodeTree(tree),
                                store::Precondition::Absent(), {}));
    return digest;
  }
  /// Where making that folder fails.
  Result<std::string> LayDown(const std::string& full) {
    test::FaultyFileSystem fs([&](std::uint64_t, std::string_view, const Path& path) {
      return path == tree_ / full ? std::optional(ENOSPC) : std::nullopt;
    });
    StatusBoard board(PosixFileSystem(), clock_, tree_ / "status.json", record_.id);
    FetchBoard fetches(board, clock_);
    Collector collector({store_, fs, clock_}, record_, local::Runtime{tree_ / "run"},
                        {.mounted = true, .environment = tree_ / "environment"});
    return collector.LayDown(fetches, {});
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  record::Record record_;
};

TEST_F(FullDiskTest, SaysWhatToSet) {
  for (const char* full : {"environment/lib", "run/work/code"}) {
    const auto laid_down = LayDown(full);
    ASSERT_FALSE(laid_down) << full;
    EXPECT_EQ(laid_down.error().code, ErrorCode::kResourceExhausted);
    EXPECT_THAT(laid_down.error().message, HasSubstr((tree_ / full).native()));
    EXPECT_EQ(laid_down.error().hint,
              "'resources: {disk: …}' asks for a node that has as much free");
  }
}

TEST_F(FullDiskTest, WhatWasCutShortIsNotTakenForComplete) {
  EXPECT_FALSE(LayDown("environment/lib"));
  EXPECT_THAT(LayDown("nothing").value_or("failed"), HasSubstr("packages: "));
  EXPECT_THAT(LayDown("environment/lib").value_or("failed"), HasSubstr("its packages were there"));
}

}  // namespace
}  // namespace kinetic::runner
