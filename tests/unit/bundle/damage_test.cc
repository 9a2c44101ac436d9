// Damaged trees and packs are reported with the offset, or unpack to the same files.

#include "support/damage.h"

#include "bundle/format/pack.h"
#include "bundle/read/tree_loader.h"
#include "unit/bundle/fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace kinetic::bundle {
namespace {

using test::BundleFixture;
using testing::HasSubstr;

/// A bundle with a small pack.
class BundleDamageTest : public ::testing::Test, public BundleFixture {
 protected:
  void SetUp() override {
    for (int i = 0; i < 4; ++i) {
      source.Write("zeros" + std::to_string(i), std::string(80'000, static_cast<char>('a' + i)));
    }
    source.Write("noise", test::RandomBytes(100, 1), 0755);
    source.MakeLink("link", "noise");
    source.MakeFolder("none");
    const auto report = Write();
    ASSERT_TRUE(report) << report.error().message;
    tree_ = report->tree;
    object_ = "trees/" + tree_.Hex();
    pack_ = Names("packs/").at(0);
    ASSERT_LT(Bytes(pack_).size(), 2000U);
  }

  /// Unpacks the bundle. If that succeeds, expects the original files.
  std::optional<Error> Try(const std::string& how) {
    const Path folder = NewFolder();
    const auto report = Unpack(tree_, folder);
    if (report) {
      SCOPED_TRACE(how);
      test::ExpectSameFolders(source.path(), folder);
    }
    std::filesystem::remove_all(folder);
    if (report) return std::nullopt;
    EXPECT_THAT(report.error().message, HasSubstr("cannot unpack tree " + tree_.Hex())) << how;
    return report.error();
  }

  Digest tree_;
  std::string object_;
  std::string pack_;
};

TEST_F(BundleDamageTest, ReportsDamagedTrees) {
  const std::string whole = Bytes(object_);
  test::ForEachDamage(whole, [&](const std::string& damaged, const std::string& how) {
    SetBytes(object_, damaged);
    const auto error = Try(how);
    ASSERT_TRUE(error) << how;
    EXPECT_EQ(error->code, ErrorCode::kDataLoss) << how;
    EXPECT_THAT(error->message, HasSubstr("cannot read tree " + tree_.Hex())) << how;
  });
}

TEST_F(BundleDamageTest, ReportsDamagedPacksWithTheOffset) {
  const std::string whole = Bytes(pack_);
  test::ForEachDamage(whole, [&](const std::string& damaged, const std::string& how) {
    SetBytes(pack_, damaged);
    const auto error = Try(how);
    if (!error) return;  // damage in the index, which unpacking does not read
    EXPECT_EQ(error->code, ErrorCode::kDataLoss) << how;
    EXPECT_THAT(error->message, HasSubstr("pack " + pack_.substr(6))) << how;
    EXPECT_THAT(error->message, HasSubstr("at byte ")) << how;
  });
}

TEST_F(BundleDamageTest, DecompressionBombsNeedLittleMemory) {
  const std::string whole = Bytes(pack_);
  Compressor compressor(19);
  const std::string bomb(compressor.Compress(std::string(256U << 20, '\0')));
  std::string claim = EncodeRawFrame("x").substr(0, 4) + '\xE0';  // 2^60 bytes of content
  claim += std::string("\0\0\0\0\0\0\0\x10\1\0\0", 11);
  for (const std::string& frame : {bomb, claim, bomb + bomb}) {
    SetBytes(pack_, frame + whole.substr(std::min(frame.size(), whole.size())));
    const Path folder = NewFolder();
    const long grown = test::PeakMemoryOf([&] {
      const auto report = Unpack(tree_, folder);
      return !report && report.error().code == ErrorCode::kDataLoss &&
             report.error().message.find("bytes of content, expected") != std::string::npos;
    });
    EXPECT_GE(grown, 0);
    if (test::MemoryIsMeasurable()) {
      EXPECT_LE(grown, 16);
    }
  }
}

}  // namespace
}  // namespace kinetic::bundle
