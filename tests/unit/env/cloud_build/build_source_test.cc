#include "env/cloud_build/build_io.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace kinetic::env {
namespace {

using testing::HasSubstr;

class BuildSourceTest : public testing::Test {
 protected:
  BuildSourceTest() { std::filesystem::create_directories(files_ / "scratch"); }

  void MakeContext(const std::string& folder) {
    const Path root = files_ / folder;
    std::filesystem::create_directories(root / "context/sub");
    std::ofstream(root / "context/requirements.txt") << "foo==1.0\n";
    std::ofstream(root / "context/sub/tool.sh") << "#!/bin/sh\n";
    std::filesystem::permissions(root / "context/sub/tool.sh", std::filesystem::perms(0700));
    std::filesystem::create_symlink("sub/tool.sh", root / "context/tool");
    std::ofstream(root / "Dockerfile") << "FROM scratch\n";
  }

  Result<BuildSource> Store(const std::string& folder) {
    const ImageBuildRequest order{.context = files_ / folder / "context",
                                  .dockerfile = files_ / folder / "Dockerfile",
                                  .reference = "registry/name:tag",
                                  .platform = "linux/amd64"};
    std::filesystem::remove(files_ / "scratch/context.tar.gz");
    return UploadBuildSource(PosixFileSystem(), order, store_, files_ / "scratch", {});
  }

  test::TempTree files_;
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
};

TEST_F(BuildSourceTest, EqualFilesGiveEqualArchives) {
  MakeContext("one");
  MakeContext("other");
  std::filesystem::permissions(files_ / "other/context/requirements.txt",
                               std::filesystem::perms(0600));
  const auto one = Store("one");
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ(one->name, "builds/" + one->digest.Hex() + ".tar.gz");
  const auto stored = store_.Peek(one->name);
  ASSERT_TRUE(stored);
  EXPECT_EQ(Sha256::Of(*stored), one->digest);
  int puts = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    puts += operation == "put" ? 1 : 0;
    return {};
  });
  const auto other = Store("other");
  ASSERT_TRUE(other) << other.error().message;
  EXPECT_EQ(other->digest, one->digest);
  EXPECT_EQ(other->generation, one->generation);
  EXPECT_EQ(puts, 0);
  std::ofstream(files_ / "other/Dockerfile") << "FROM other\n";
  EXPECT_NE(Store("other")->digest, one->digest);
}

TEST_F(BuildSourceTest, IsReadableByTar) {
  MakeContext("one");
  const auto source = Store("one");
  ASSERT_TRUE(source) << source.error().message;
  const Path out = files_ / "out";
  std::filesystem::create_directories(out);
  const std::string command =
      "tar -xzf " + (files_ / "scratch/context.tar.gz").native() + " -C " + out.native();
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(*ReadFile(PosixFileSystem(), out / "Dockerfile", 100), "FROM scratch\n");
  EXPECT_EQ(*ReadFile(PosixFileSystem(), out / "context/requirements.txt", 100), "foo==1.0\n");
  EXPECT_EQ(std::filesystem::read_symlink(out / "context/tool"), "sub/tool.sh");
  EXPECT_EQ(std::filesystem::status(out / "context/sub/tool.sh").permissions(),
            std::filesystem::perms(0755));
}

TEST_F(BuildSourceTest, StoresAgainAfterConcurrentRemoval) {
  MakeContext("one");
  ASSERT_TRUE(Store("one"));
  int touched = 0;
  store_.SetHook([&](std::string_view operation, std::string_view name) -> Status {
    if (operation == "touch" && ++touched == 1) store_.Drop(name);
    return {};
  });
  const auto again = Store("one");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_TRUE(store_.Peek(again->name));
}

TEST_F(BuildSourceTest, RejectsSpecialFiles) {
  MakeContext("one");
  ASSERT_EQ(::mkfifo((files_ / "one/context/pipe").c_str(), 0600), 0);
  const auto refused = Store("one");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(refused.error().message, HasSubstr("one/context/pipe"));
}

}  // namespace
}  // namespace kinetic::env
