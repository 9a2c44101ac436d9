#include "bundle/format/tree.h"
#include "bundle/format/tree_codec.h"
#include "record/object_names.h"
#include "runner/staging/job_store.h"
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

/// A collector that materializes inputs on a full disk.
class FullDiskTest : public ::testing::Test {
 protected:
  FullDiskTest() {
    record_.id = "k-1";
    record_.tree = PutFolder("code");
    record_.environment = {PutFolder("lib"), "3.12", 0, 0};
  }

  /// Stores a tree with one empty folder.
  Digest PutFolder(const std::string& name) {
    bundle::Tree tree;
    tree.entries.push_back(
        {.path = name, .type = BundleEntry::Type::kEmptyFolder, .content = Sha256::Of("")});
    const Digest digest = bundle::TreeDigest(tree.entries);
    EXPECT_TRUE(store::PutBytes(store_, record::TreeName(digest), *bundle::EncodeTree(tree),
                                store::Precondition::Absent(), {}));
    return digest;
  }
  /// Materializes; creating the folder `full` fails.
  Result<std::string> Materialize(const std::string& full) {
    test::FaultyFileSystem fs([&](std::uint64_t, std::string_view, const Path& path) {
      return path == tree_ / full ? std::optional(ENOSPC) : std::nullopt;
    });
    StatusFile board(PosixFileSystem(), clock_, tree_ / "status.json", KeyOf(record_));
    FetchProgress progress(board, clock_);
    JobStore collector({store_, fs, clock_}, record_, local::Runtime{tree_ / "run"},
                       {.mounted = true, .environment = tree_ / "environment"});
    return collector.Materialize(progress, {});
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  record::Record record_;
};

TEST_F(FullDiskTest, HintNamesTheSetting) {
  for (const char* full : {"environment/lib", "run/work/code"}) {
    const auto result = Materialize(full);
    ASSERT_FALSE(result) << full;
    EXPECT_EQ(result.error().code, ErrorCode::kResourceExhausted);
    EXPECT_THAT(result.error().message, HasSubstr((tree_ / full).native()));
    EXPECT_EQ(result.error().hint,
              "set 'resources: {disk: …}' to request a node with enough free disk space");
  }
}

TEST_F(FullDiskTest, IncompletePackagesAreFetchedAgain) {
  EXPECT_FALSE(Materialize("environment/lib"));
  EXPECT_THAT(Materialize("nothing").value_or("failed"), HasSubstr("packages: "));
  EXPECT_THAT(Materialize("environment/lib").value_or("failed"),
              HasSubstr("packages already unpacked"));
}

}  // namespace
}  // namespace kinetic::runner
