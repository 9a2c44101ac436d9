#include "bundle/format/pack.h"

#include "base/process/subprocess.h"
#include "bundle/read/tree_loader.h"
#include "bundle/source/file_reader.h"
#include "support/pack_index.h"
#include "unit/bundle/fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace kinetic::bundle {
namespace {

using test::CompressibleText;
using test::RandomBytes;
using testing::HasSubstr;

std::string BytesOf(Pack& pack) {
  std::string bytes;
  EXPECT_TRUE(pack.Rewind());
  for (auto piece = pack.Next(); piece && !piece->empty(); piece = pack.Next()) bytes += *piece;
  return bytes;
}

/// Returns a pack with a compressed and a raw frame.
Pack SamplePack(const std::string& text, const std::string& noise) {
  Pack pack;
  Compressor compressor(2);
  Buffer frame = Buffer::Copy(compressor.Compress(text));
  const Digest digest = Sha256::Of(frame.view());
  pack.Add(std::move(frame), digest, static_cast<std::uint32_t>(text.size()));
  pack.AddRaw(Buffer::Copy(noise), Sha256::Of(noise));
  pack.Close();
  return pack;
}

std::string Varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes += static_cast<char>(value);
}

/// Computes the name of a stored pack as described in docs/reference/store.md.
Digest NameOf(std::string_view bytes) {
  std::string list = "kinetic pack 1\n";
  Decompressor decompressor;
  const auto frames = test::ReadPackIndex(bytes);
  EXPECT_TRUE(frames);
  for (const Frame& frame : *frames) {
    const std::string_view stored = bytes.substr(frame.offset, frame.stored_bytes);
    const auto content = decompressor.Decompress(stored, frame.content_bytes);
    EXPECT_TRUE(content);
    const bool as_is = frame.stored_bytes > frame.content_bytes;
    EXPECT_TRUE(!as_is || stored == EncodeRawFrame(*content));
    list += Varint(frame.stored_bytes) + Varint(frame.content_bytes);
    list += Sha256::Of(as_is ? *content : stored).View();
  }
  return Sha256::Of(list);
}

TEST(Frame, RawFramesRoundTrip) {
  for (const std::size_t size : {1UL, 127UL, 128UL << 10, (128UL << 10) + 1, 8UL << 20}) {
    const std::string content = RandomBytes(size, size);
    const std::string frame = EncodeRawFrame(content);
    Decompressor decompressor;
    const auto read = decompressor.Decompress(frame, size);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, content);
    EXPECT_LT(frame.size(), size + 9 + 3 * (size / (128 << 10) + 1) + 1);
  }
}

TEST(Frame, RejectsInvalidFrames) {
  Compressor compressor(2);
  const std::string frame(compressor.Compress(std::string(5000, 'x')));
  Decompressor decompressor;
  EXPECT_TRUE(decompressor.Decompress(frame, 5000));
  EXPECT_FALSE(decompressor.Decompress(frame, 4999));
  EXPECT_FALSE(decompressor.Decompress(frame + "x", 5000));
  EXPECT_FALSE(decompressor.Decompress(frame.substr(0, frame.size() - 1), 5000));
  EXPECT_FALSE(decompressor.Decompress("no frame at all", 5000));
}

TEST(PackIndex, RoundTrips) {
  Pack pack = SamplePack(CompressibleText(10'000, 1), RandomBytes(5'000, 2));
  const std::string bytes = BytesOf(pack);
  EXPECT_EQ(bytes.size(), pack.size_bytes());
  EXPECT_EQ(pack.digest(), NameOf(bytes));
  EXPECT_EQ(pack.identity(), pack.digest().Hex());
  EXPECT_EQ(test::ReadPackIndex(bytes), pack.frames());
}

TEST(Pack, IsReadableByZstd) {
  const auto zstd = FindExecutable("zstd", "/usr/bin:/usr/local/bin:/bin");
  if (!zstd) GTEST_SKIP() << "there is no zstd program";
  const std::string text = CompressibleText(300'000, 1);
  const std::string noise = RandomBytes(700'000, 2);
  Pack pack = SamplePack(text, noise);
  const test::TempTree tree;
  const Path file = tree.Write("pack.zst", BytesOf(pack));
  std::string content;
  Subprocess run;
  run.argv = {zstd->native(), "-dc", file.native()};
  run.on_stdout = [&](std::string_view piece) { content += piece; };
  const auto status = kinetic::Run(run, {});
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->Succeeded());
  EXPECT_EQ(content, text + noise);
}

TEST(Pack, MatchesTheTreeOfItsBundle) {
  test::BundleFixture bundle;
  for (std::uint64_t i = 0; i < 60; ++i) {
    bundle.source.Write("f" + std::to_string(i), CompressibleText(30'000, i));
  }
  bundle.source.Write("noise", RandomBytes(12 << 20, 1));
  bundle.source.Write("prose", CompressibleText(3 << 20, 1));
  bundle.source.Write("small noise", RandomBytes(300'000, 2));  // stored in a raw frame
  bundle.options.pack_bytes = 4 << 20;
  const auto report = bundle.Write();
  ASSERT_TRUE(report) << report.error().message;
  const auto tree = LoadTree(bundle.store, report->tree, {});
  ASSERT_TRUE(tree);
  EXPECT_GT(tree->packs.size(), 1U);
  for (const auto& pack : tree->packs) {
    const std::string bytes = bundle.Bytes("packs/" + pack.digest.Hex());
    EXPECT_EQ(NameOf(bytes), pack.digest);
    EXPECT_EQ(test::ReadPackIndex(bytes), pack.frames);
  }
}

TEST(Chunk, LengthsAreBoundedAndContentDefined) {
  const std::string content = RandomBytes(40 << 20, 3);
  std::vector<std::string_view> chunks;
  for (std::string_view left = content; !left.empty(); left.remove_prefix(chunks.back().size())) {
    chunks.push_back(left.substr(0, ChunkLength(left.substr(0, kMaxChunkBytes))));
    ASSERT_GT(chunks.back().size(), 0U);
    ASSERT_LE(chunks.back().size(), kMaxChunkBytes);
  }
  EXPECT_GT(chunks.size(), 10U);
  EXPECT_LT(chunks.size(), 40U);
  const std::string changed = "inserted" + content;
  std::size_t same = 0;
  for (std::string_view left = changed; !left.empty();) {
    const auto chunk = left.substr(0, ChunkLength(left.substr(0, kMaxChunkBytes)));
    for (const auto& old : chunks) same += old == chunk ? 1U : 0U;
    left.remove_prefix(chunk.size());
  }
  EXPECT_GE(same + 3, chunks.size());
}

TEST(Chunk, BoundariesMatchTheSpecification) {
  // These lengths are part of the format.
  const std::string content = RandomBytes(8 << 20, 11);
  std::vector<std::size_t> lengths;
  for (std::string_view left = content; !left.empty(); left.remove_prefix(lengths.back())) {
    lengths.push_back(ChunkLength(left));
  }
  EXPECT_THAT(lengths, testing::ElementsAre(2'786'515U, 2'196'611U, 2'962'769U, 442'713U));
}

TEST(Chunk, DetectsCompressibleContent) {
  const auto compressible = [](const std::string& content) {
    return *IsCompressible(content.size(), [&](std::span<char> into, std::uint64_t offset) {
      content.copy(into.data(), into.size(), offset);
      return Status();
    });
  };
  EXPECT_FALSE(compressible(RandomBytes(2 << 20, 1)));
  EXPECT_TRUE(compressible(CompressibleText(2 << 20, 1)));
  EXPECT_TRUE(compressible(std::string(1 << 20, '\0')));
}

}  // namespace
}  // namespace kinetic::bundle
