#include "bundle/write/bundle_writer.h"

#include "bundle/read/tree_loader.h"
#include "support/temp_tree.h"
#include "unit/bundle/fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace kinetic::bundle {
namespace {

using test::BundleFixture;
using test::CompressibleText;
using test::ExpectSameFolders;
using test::RandomBytes;

void WriteMany(const test::TempTree& tree, int count) {
  for (int i = 0; i < count; ++i) {
    tree.Write(
        "pkg" + std::to_string(i % 7) + "/m" + std::to_string(i) + ".py",
        CompressibleText(4000 + 13 * static_cast<std::size_t>(i), static_cast<std::uint64_t>(i)));
  }
}

class BundleWriterTest : public ::testing::Test, public BundleFixture {
 protected:
  void ExpectRoundTrip(const Digest& tree) {
    const Path folder = NewFolder();
    const auto report = Unpack(tree, folder);
    ASSERT_TRUE(report) << report.error().message;
    ExpectSameFolders(source.path(), folder);
  }
};

TEST_F(BundleWriterTest, StoresASmallBundleInOneObject) {
  source.Write("main.py", "print('hello')\n");
  source.Write("run.sh", "#!/bin/sh\n", 0755);
  source.Write("empty", "");
  source.MakeFolder("data/none");
  source.MakeLink("link", "main.py");
  const auto report = Write();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->existed);
  EXPECT_EQ(report->objects_stored, 1U);
  EXPECT_THAT(Names(), testing::ElementsAre("trees/" + report->tree.Hex()));
  ExpectRoundTrip(report->tree);
}

TEST_F(BundleWriterTest, StoresAnEmptyBundle) {
  const auto report = Write();
  ASSERT_TRUE(report) << report.error().message;
  ExpectRoundTrip(report->tree);
}

TEST_F(BundleWriterTest, FindsAnUnchangedBundleWithOneRequest) {
  WriteMany(source, 50);
  const auto first = Write();
  ASSERT_TRUE(first);
  const auto before = requests;
  const auto second = Write();
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->existed);
  EXPECT_EQ(second->tree, first->tree);
  EXPECT_EQ(second->files_read, 0U);
  EXPECT_EQ(requests - before, 1U);
}

TEST_F(BundleWriterTest, StoresManyFilesInPacks) {
  WriteMany(source, 300);
  const auto report = Write();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(Names("packs/").size(), 1U);
  EXPECT_EQ(report->files_read, 300U);
  ExpectRoundTrip(report->tree);
}

TEST_F(BundleWriterTest, StoresOneObjectForAnEditOfOneFile) {
  WriteMany(source, 300);
  ASSERT_TRUE(Write());
  const auto before = Names();
  source.Write("pkg3/m3.py", "changed = True\n");
  std::filesystem::remove(source / "pkg4/m4.py");
  source.Write("pkg9/new.py", RandomBytes(2000, 9));
  const auto report = Write();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->delta);
  EXPECT_EQ(report->objects_stored, 1U);
  EXPECT_LT(report->bytes_stored, 5000U);
  EXPECT_EQ(Names().size(), before.size() + 1);
  EXPECT_EQ(report->files_read, 2U);
  ExpectRoundTrip(report->tree);
}

TEST_F(BundleWriterTest, BasesDeltasOnFullTrees) {
  WriteMany(source, 300);
  const auto full = Write();
  ASSERT_TRUE(full);
  for (int i = 0; i < 5; ++i) {
    source.Write("edit" + std::to_string(i), RandomBytes(3000, static_cast<std::uint64_t>(i)));
    const auto report = Write();
    ASSERT_TRUE(report) << report.error().message;
    const auto references = ReferencesOf(Bytes("trees/" + report->tree.Hex()));
    ASSERT_TRUE(references);
    EXPECT_EQ(references->base, full->tree);
    ExpectRoundTrip(report->tree);
  }
}

TEST_F(BundleWriterTest, StoresAPackWhenInlineContentGrows) {
  WriteMany(source, 300);
  ASSERT_TRUE(Write());
  for (int i = 0; i < 4; ++i) {
    source.Write("blob" + std::to_string(i), RandomBytes(100'000, static_cast<std::uint64_t>(i)));
    const auto report = Write();
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->objects_stored, i == 2 ? 2U : 1U) << i;
    ExpectRoundTrip(report->tree);
  }
  EXPECT_EQ(Names("packs/").size(), 2U);
}

TEST_F(BundleWriterTest, RepacksIfMuchIsUnused) {
  WriteMany(source, 300);
  const auto first = Write();
  ASSERT_TRUE(first);
  for (int i = 0; i < 300; i += 2) {
    source.Write("pkg" + std::to_string(i % 7) + "/m" + std::to_string(i) + ".py",
                 CompressibleText(9000, static_cast<std::uint64_t>(i) + 1000));
  }
  const auto report = Write();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->delta);
  const auto tree = LoadTree(store, report->tree, {});
  ASSERT_TRUE(tree);
  const auto old = LoadTree(store, first->tree, {});
  for (const auto& pack : tree->packs) EXPECT_NE(pack.digest, old->packs[0].digest);
  ExpectRoundTrip(report->tree);
}

TEST_F(BundleWriterTest, StoresEqualContentOnce) {
  const std::string content = RandomBytes(90'000, 1);
  for (int i = 0; i < 30; ++i) source.Write("copy" + std::to_string(i), content);
  const auto report = Write();
  ASSERT_TRUE(report);
  EXPECT_LT(report->bytes_stored, 100'000U);
  ExpectRoundTrip(report->tree);
}

TEST_F(BundleWriterTest, KeepsTheChunksOfAChangedLargeFile) {
  std::string content = CompressibleText(20 << 20, 5);
  source.Write("data.bin", content);
  source.Write("random.bin", RandomBytes(20 << 20, 6));
  const auto first = Write();
  ASSERT_TRUE(first) << first.error().message;
  ExpectRoundTrip(first->tree);
  content.insert(10 << 20, "a few bytes in the middle");
  source.Write("data.bin", content);
  const auto second = Write();
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_LT(second->bytes_stored, first->bytes_stored / 4);
  ExpectRoundTrip(second->tree);
}

TEST_F(BundleWriterTest, IsDeterministic) {
  WriteMany(source, 300);
  source.Write("large", CompressibleText(5 << 20, 3));
  ASSERT_TRUE(Write());
  const auto names = Names();
  BundleFixture other;
  other.options.threads = 5;
  for (const auto& item : std::filesystem::directory_iterator(source.path())) {
    std::filesystem::copy(item.path(), other.source.path() / item.path().filename(),
                          std::filesystem::copy_options::recursive);
  }
  ASSERT_TRUE(other.Write());
  EXPECT_EQ(other.Names(), names);
}

TEST_F(BundleWriterTest, StartsOverIfThePreviousTreeIsMissing) {
  WriteMany(source, 300);
  const auto first = Write();
  ASSERT_TRUE(first);
  for (const auto& name : Names()) store.Drop(name);
  source.Write("one more", "x");
  const auto report = Write();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->delta);
  ExpectRoundTrip(report->tree);
}

TEST_F(BundleWriterTest, StoresAnUnchangedBundleAgainIfItWasRemoved) {
  WriteMany(source, 300);
  const auto first = Write();
  ASSERT_TRUE(first);
  for (const auto& name : Names()) store.Drop(name);
  const auto report = Write();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->existed);
  EXPECT_EQ(report->tree, first->tree);
  ExpectRoundTrip(report->tree);
}

TEST_F(BundleWriterTest, ReadsSparseFiles) {
  source.Write("holes", "begin");
  std::filesystem::resize_file(source / "holes", 40 << 20);
  const auto report = Write();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_LT(report->bytes_stored, 10'000U);
  ExpectRoundTrip(report->tree);
}

TEST_F(BundleWriterTest, ComputesTheDigestWithoutStoring) {
  WriteMany(source, 20);
  source.Write("large", RandomBytes(3 << 20, 3));
  auto tree = test::ListFolder(source.path());
  const auto digest = ComputeTreeDigest({PosixFileSystem(), tree, cache}, options, {});
  ASSERT_TRUE(digest);
  EXPECT_EQ(requests, 0U);
  const auto report = Write();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->tree, *digest);
}

TEST_F(BundleWriterTest, ReturnsTheStoresErrorForEveryRequest) {
  WriteMany(source, 300);
  for (std::uint64_t at = 0;; ++at) {
    for (const auto& name : Names()) store.Drop(name);
    ResetCache();
    const auto begin = requests;
    request_error = [&](std::uint64_t index, std::string_view) {
      return index - begin == at ? std::optional(Error{ErrorCode::kUnavailable, "no", {}, {}})
                                 : std::nullopt;
    };
    const auto report = Write();
    request_error = nullptr;
    if (report) break;
    EXPECT_EQ(report.error().code, ErrorCode::kUnavailable);
    EXPECT_TRUE(Names("trees/").empty());
    ASSERT_LT(at, 20U);
  }
}

}  // namespace
}  // namespace kinetic::bundle
