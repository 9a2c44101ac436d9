#include "env/image/package_layers.h"
#include "store/open.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <string>

namespace kinetic::env {
namespace {

using ::testing::HasSubstr;

TEST(WriteVirtualEnvironmentLayer, HasOwnPip) {
  const test::TempTree tree;
  tree.MakeFolder("scratch");
  const auto store = store::Open((tree / "store").native(), {PosixFileSystem(), SystemClock()}, {});
  ASSERT_TRUE(store);
  const auto written =
      WriteVirtualEnvironmentLayer({**store, PosixFileSystem(), tree / "scratch", {}, "/opt/env"},
                                   "/usr/bin/python3.12", "3.12", {});
  ASSERT_TRUE(written) << written.error().message;
  const std::string packed = tree.Read(written->file.lexically_relative(tree.path()).native());
  std::string archive(1 << 20, '\0');
  const std::size_t size =
      ZSTD_decompress(archive.data(), archive.size(), packed.data(), packed.size());
  ASSERT_FALSE(ZSTD_isError(size));
  archive.resize(size);
  EXPECT_THAT(archive, HasSubstr("opt/env/bin/pip"));
  EXPECT_THAT(archive, HasSubstr("opt/env/lib/python3.12/site-packages/pip.py"));
}

}  // namespace
}  // namespace kinetic::env
