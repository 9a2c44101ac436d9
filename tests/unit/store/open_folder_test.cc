#include "store/open.h"
#include "support/fake_clock.h"
#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <string_view>

namespace kinetic::store {
namespace {

using ::testing::HasSubstr;

TEST(OpenFolder, StoreThatCannotBeReadIsNotMissing) {
  const test::TempTree tree;
  test::FakeClock clock;
  const Path folder = tree.MakeFolder("private/store");
  test::FaultyFileSystem fs(
      [&](std::uint64_t, std::string_view operation, const Path& path) -> std::optional<int> {
        if (operation == "checking" && path == folder) return EACCES;
        return std::nullopt;
      },
      test::FaultyFileSystem::Reach::kReadsToo);
  const auto store = OpenLazy(folder.native(), {.fs = fs, .clock = clock}, {});
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(store.error().message, HasSubstr("cannot open the store " + folder.native()));
}

}  // namespace
}  // namespace kinetic::store
