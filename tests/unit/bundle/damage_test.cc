// A tree or a pack that is not as it was written is named with the place, or unpacks to the same.

#include "support/damage.h"

#include "bundle/format/pack.h"
#include "bundle/read/tree_loader.h"
#include "bundle_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace kinetic::bundle {
namespace {

using test::BundleFixture;
using testing::HasSubstr;

/// More than rides in a tree, in a pack of some hundred bytes.
class BundleDamage : public ::testing::Test, public BundleFixture {
 protected:
  void SetUp() override {
    for (int i = 0; i < 4; ++i) {
      source.Write("zeros" + std::to_string(i), std::string(80'000, static_cast<char>('a' + i)));
    }
    source.Write("noise", test::Noise(100, 1), 0755);
    source.MakeLink("link", "noise");
    source.MakeFolder("none");
    const auto report = Write();
    ASSERT_TRUE(report) << report.error().message;
    tree_ = report->tree;
    object_ = "trees/" + tree_.Hex();
    pack_ = Names("packs/").at(0);
    ASSERT_LT(Bytes(pack_).size(), 2000U);
  }

  /// Unpacks; what comes out without an error is what was put in.
  std::optional<Error> Try(const std::string& how) {
    const Path folder = NewFolder();
    const auto report = Unpack(tree_, folder);
    if (report) {
      SCOPED_TRACE(how);
      test::ExpectSameFolders(source.path(), folder);
    }
    std::filesystem::remove_all(folder);
    if (report) return std::nullopt;
    EXPECT_THAT(report.error().message, HasSubstr("unpacking " + tree_.Hex())) << how;
    return report.error();
  }

  Digest tree_;
  std::string object_;
  std::string pack_;
};

TEST_F(BundleDamage, OfATreeIsNamed) {
  const std::string whole = Bytes(object_);
  test::ForEachDamage(whole, [&](const std::string& damaged, const std::string& how) {
    SetBytes(object_, damaged);
    const auto error = Try(how);
    ASSERT_TRUE(error) << how;
    EXPECT_EQ(error->code, ErrorCode::kDataLoss) << how;
    EXPECT_THAT(error->message, HasSubstr("reading tree " + tree_.Hex())) << how;
  });
}

TEST_F(BundleDamage, OfAPackIsNamedWithItsPlace) {
  const std::string whole = Bytes(pack_);
  test::ForEachDamage(whole, [&](const std::string& damaged, const std::string& how) {
    SetBytes(pack_, damaged);
    const auto error = Try(how);
    if (!error) return;  // its index, which unpacking does not read, or bytes behind it
    EXPECT_EQ(error->code, ErrorCode::kDataLoss) << how;
    EXPECT_THAT(error->message, HasSubstr("pack " + pack_.substr(6))) << how;
    EXPECT_THAT(error->message, HasSubstr("at byte ")) << how;
  });
}

TEST_F(BundleDamage, OfAPackIndexIsNamedOrFitsNoFrame) {
  const std::string whole = Bytes(pack_);
  const auto frames = DecodePackIndex(whole, whole.size());
  ASSERT_TRUE(frames);
  test::ForEachDamage(whole, [&](const std::string& damaged, const std::string& how) {
    const auto read = DecodePackIndex(damaged, damaged.size());
    if (!read) {
      EXPECT_THAT(read.error().message, HasSubstr("pack index")) << how;
      return;
    }
    Decompressor decompressor;
    for (std::size_t i = 0; i < read->size(); ++i) {
      const Frame& frame = (*read)[i];
      const auto stored = std::string_view(damaged).substr(frame.offset, frame.stored_bytes);
      const auto content = decompressor.Decompress(stored, frame.content_bytes);
      if (content) {
        EXPECT_EQ(content->size(), frame.content_bytes) << how;
      }
    }
  });
}

TEST_F(BundleDamage, OfAFrameThatIsABombCostsLittle) {
  const std::string whole = Bytes(pack_);
  const auto frames = DecodePackIndex(whole, whole.size());
  ASSERT_TRUE(frames);
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
             report.error().message.find("bytes of content where") != std::string::npos;
    });
    EXPECT_GE(grown, 0);
    if (test::MemoryIsMeasurable()) {
      EXPECT_LE(grown, 16);
    }
  }
}

}  // namespace
}  // namespace kinetic::bundle
