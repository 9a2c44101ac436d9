#include "oci/build/image.h"
#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

namespace kinetic::oci {
namespace {

using kinetic::test::FaultyFileSystem;
using kinetic::test::TempTree;
using testing::ElementsAre;

ImageSpec SampleImage() {
  return {.config = {.architecture = "amd64",
                     .entrypoint = {"/bin/program"},
                     .labels = {{"org.opencontainers.image.version", "1.2.3"}}},
          .layers = {{Entry::FromBytes("etc/\xC3\xBC", std::string(5000, 'e')),
                      Entry::Symlink("lib", "/usr/lib")},
                     {Entry::FromBytes("bin/program", "#!/bin/true\n", 0755)}}};
}

Result<WrittenImage> Write(FileSystem& fs, const Path& output,
                           ImageCompression compression = ImageCompression::kGzip,
                           const std::string& name = "sample") {
  return WriteImage(fs, SampleImage(), {*ParseReference(name), "1.2.3+dev", compression}, output,
                    {});
}

std::vector<std::string> FileNames(const TempTree& tree) {
  const auto entries = PosixFileSystem().ReadDirectory(tree.path());
  std::vector<std::string> names;
  for (const auto& entry : *entries) names.push_back(entry.name);
  return names;
}

/// Golden: the id must be the same on all machines.
TEST(WriteImage, IdDependsOnContentOnly) {
  const TempTree tree;
  const auto gzip = Write(PosixFileSystem(), tree / "a.tar");
  ASSERT_TRUE(gzip) << gzip.error().message;
  ASSERT_EQ(gzip->layers.size(), 2U);
  EXPECT_EQ(gzip->layers[0].diff_id,
            "sha256:2ea231b7ff18d7ff26af74151495169f8c375df49d02c44fd881295488c8765d");
  EXPECT_EQ(gzip->layers[1].diff_id,
            "sha256:ca359ce71f2e03b3cccb1a6ab7ea1ab68882272dc05c0e8c0d7f8b57338aeb63");
  EXPECT_EQ(gzip->image_id,
            "sha256:41a9cf9415524b1018de279a8c306b04a1fb28b4822fe26746734d6f34df8e10");
  EXPECT_EQ(gzip->name, "docker.io/library/sample:1.2.3-dev-" + gzip->image_id.substr(7, 12));

  const auto zstd = Write(PosixFileSystem(), tree / "b.tar", ImageCompression::kZstd);
  ASSERT_TRUE(zstd);
  EXPECT_EQ(zstd->image_id, gzip->image_id);
  EXPECT_EQ(zstd->name, gzip->name);
  EXPECT_NE(zstd->digest, gzip->digest);
  EXPECT_EQ(
      Write(PosixFileSystem(), tree / "c.tar", ImageCompression::kGzip, "host.name/x:tag")->name,
      "host.name/x:tag");
}

TEST(WriteImage, IsReproducible) {
  const TempTree tree;
  for (const auto compression : {ImageCompression::kGzip, ImageCompression::kZstd}) {
    ASSERT_TRUE(Write(PosixFileSystem(), tree / "a.tar", compression));
    ASSERT_TRUE(Write(PosixFileSystem(), tree / "b.tar", compression));
    EXPECT_EQ(tree.Read("a.tar"), tree.Read("b.tar"));
  }
}

TEST(WriteImage, StoresEqualLayersOnce) {
  const TempTree tree;
  ImageSpec image = SampleImage();
  image.layers[1] = image.layers[0];
  const auto written =
      WriteImage(PosixFileSystem(), image, {*ParseReference("x"), "1", ImageCompression::kGzip},
                 tree / "a.tar", {});
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(written->layers[0].digest, written->layers[1].digest);
}

TEST(WriteImage, ReplacesTheFileAtomically) {
  std::uint64_t operations = 0;
  {
    const TempTree tree;
    FaultyFileSystem counting([](auto, auto, const auto&) { return std::nullopt; });
    ASSERT_TRUE(Write(counting, tree / "a.tar"));
    operations = counting.count();
  }
  ASSERT_GT(operations, 20U);
  for (std::uint64_t at = 0; at < operations; ++at) {
    const TempTree tree;
    tree.Write("a.tar", "old");
    FaultyFileSystem fs([&](std::uint64_t index, auto, const auto&) -> std::optional<int> {
      if (index == at) return ENOSPC;
      return {};
    });
    const auto written = Write(fs, tree / "a.tar");
    if (written) {
      EXPECT_NE(tree.Read("a.tar"), "old") << at;  // the removal of temporary files failed
      continue;
    }
    EXPECT_EQ(written.error().code, ErrorCode::kResourceExhausted) << at;
    EXPECT_EQ(tree.Read("a.tar"), "old") << at;
    EXPECT_THAT(FileNames(tree), ElementsAre("a.tar")) << at;
  }
}

TEST(WriteImage, LeavesNoFilesWhenCancelled) {
  const TempTree tree;
  std::stop_source stop;
  stop.request_stop();
  const auto written = WriteImage(PosixFileSystem(), SampleImage(),
                                  {*ParseReference("x"), "1", ImageCompression::kZstd},
                                  tree / "a.tar", stop.get_token());
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(FileNames(tree), ElementsAre());
}

}  // namespace
}  // namespace kinetic::oci
