// Format 1, byte by byte as in docs/reference/store.md. Future versions must read stored objects.

#include "bundle/format/pack.h"
#include "bundle/format/tree_codec.h"
#include "support/pack_index.h"
#include "unit/bundle/entries.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace kinetic::bundle {
namespace {

/// Converts hex digits to bytes. Ignores white space.
std::string Hex(std::string_view digits) {
  std::string bytes;
  std::string pair;
  for (const char digit : digits) {
    if (digit == ' ' || digit == '\n') continue;
    pair += digit;
    if (pair.size() < 2) continue;
    bytes += static_cast<char>(std::stoi(pair, nullptr, 16));
    pair.clear();
  }
  EXPECT_TRUE(pair.empty());
  return bytes;
}

std::string DigestOf(std::string_view content) { return std::string(Sha256::Of(content).View()); }

/// Returns a tree with every kind of row and position.
Tree Sample() {
  Tree tree;
  tree.packs = {{Sha256::Of("pack 0"), {{0, 300, 1000}, {300, 5, 4}}},
                {Sha256::Of("pack 1"), {{0, 40, 700}}}};
  tree.inline_bytes = "inline!";
  tree.entries.push_back(FileEntry("a/b", std::string(10, 'x'), {0, 0, 0}));
  tree.entries.push_back(FileEntry("a/c", std::string(20, 'y'), {0, 0, 10}));
  tree.entries.back().executable = true;
  tree.entries.push_back(FileEntry("b", "four", {0, 1, 0}));
  TreeEntry chunked{.path = "c", .executable = true};
  chunked.content = Sha256::Of("whole");
  chunked.size_bytes = 706;
  chunked.extents = {{1, 0, 0, 700, Sha256::Of("first")},
                     {Extent::kInline, 0, 0, 6, Sha256::Of("second")}};
  tree.entries.push_back(chunked);
  tree.entries.push_back({.path = "e"});
  tree.entries.back().content = Sha256::Of("");
  TreeEntry link{.path = "l", .type = BundleEntry::Type::kSymlink, .link_target = "a/b"};
  link.content = Sha256::Of("a/b");
  link.size_bytes = 3;
  tree.entries.push_back(link);
  TreeEntry none{.path = "n", .type = BundleEntry::Type::kEmptyFolder};
  none.content = Sha256::Of("");
  tree.entries.push_back(none);
  return tree;
}

std::string SampleBody() {
  return Hex("02 ac02 e807 05 04"              // pack 0: two frames, 300 → 1000 and 5 → 4
             "01 28 bc05"                      // pack 1: one frame, 40 → 700
             "07 07"                           // inline bytes, rows
             "00 03 612f62 00 0a 02 00 00 00"  // a/b: file, 10 bytes, at pack 0 frame 0 offset 0
             "02 01 63 01 14 00"               // a/c: executable, 20 bytes, after the previous
             "00 01 62 00 04 01"               // b: file, 4 bytes, the next frame
             "00 01 63 09 c205 02 bc05 02 01 00 00 06 03 00"  // c: 706 bytes in two chunks
             "00 01 65 00 00"                                 // e: empty
             "00 01 6c 02 03 612f62"                          // l: link to a/b
             "00 01 6e 03") +                                 // n: empty folder
         DigestOf(std::string(10, 'x')) +
         DigestOf(std::string(20, 'y')) + DigestOf("four") + DigestOf("whole") + DigestOf("first") +
         DigestOf("second") + "inline!";
}

/// Returns the object of the sample with `frame` as its compressed body.
std::string Object(std::string_view frame, std::string_view lengths) {
  std::string object = Hex("4b545231 00 02") + DigestOf("pack 0") + DigestOf("pack 1");
  object.append(lengths).append(frame);
  return object + DigestOf(object);
}

TEST(TreeFormat, DecodesTheReference) {
  const std::string body = SampleBody();
  ASSERT_EQ(body.size(), 268U);
  // One zstd frame: magic, single segment with four bytes of size, one last raw block.
  const std::string frame = Hex("28b52ffd a0 0c010000 610800") + body;
  const std::string object = Object(frame, Hex("8c02 9802"));
  const auto tree = DecodeTree(object);
  ASSERT_TRUE(tree) << tree.error().message;
  const Tree expected = Sample();
  EXPECT_EQ(tree->entries, expected.entries);
  EXPECT_EQ(tree->packs, expected.packs);
  EXPECT_EQ(tree->inline_bytes, expected.inline_bytes);
  EXPECT_FALSE(tree->base);
}

TEST(TreeFormat, EncodesTheReference) {
  const auto object = EncodeTree(Sample());
  ASSERT_TRUE(object);
  const std::size_t header = 4 + 1 + 1 + 64;
  ASSERT_GT(object->size(), header + 4 + 32);
  EXPECT_EQ(object->substr(0, header + 2),
            Hex("4b545231 00 02") + DigestOf("pack 0") + DigestOf("pack 1") + Hex("8c02"));
  // The compressed size is not part of the format: read the two bytes of length.
  const std::string_view frame(object->data() + header + 4, object->size() - header - 4 - 32);
  EXPECT_EQ((static_cast<unsigned char>((*object)[header + 2]) & 0x7FU) |
                static_cast<unsigned>((*object)[header + 3]) << 7,
            frame.size());
  Decompressor decompressor;
  const auto body = decompressor.Decompress(frame, 268);
  ASSERT_TRUE(body) << body.error().message;
  EXPECT_EQ(*body, SampleBody());
  EXPECT_EQ(object->substr(object->size() - 32), DigestOf(object->substr(0, object->size() - 32)));
}

TEST(TreeFormat, EncodesOnlyTheChangedRowsOfADelta) {
  const Tree base = Sample();
  Tree tree = base;
  tree.base = TreeDigest(base.entries);
  tree.base_packs = 2;
  tree.base_inline_bytes = 7;
  tree.packs.push_back({Sha256::Of("pack 2"), {{0, 9, 300}}});
  tree.inline_bytes += "own";
  tree.entries.erase(tree.entries.begin() + 1);                      // removes a/c
  tree.entries[1] = FileEntry("b", "own", {Extent::kInline, 0, 7});  // changes b
  tree.entries.push_back(FileEntry("z", std::string(300, 'z'), {2, 0, 0}));
  const std::string body = Hex("01 09 ac02"                       // pack 2: one frame, 9 → 300
                               "03 03"                            // own inline bytes, rows
                               "00 03 612f63 04"                  // a/c: removed
                               "00 01 62 00 03 03 07"             // b: in the inline bytes at 7
                               "00 01 7a 00 ac02 02 02 00 00") +  // z: at pack 2 frame 0 offset 0
                           DigestOf("own") +
                           DigestOf(std::string(300, 'z')) + "own";
  const auto written = EncodeTree(tree, &base);
  ASSERT_TRUE(written);
  const std::string header = Hex("4b545231 01 03") + DigestOf("pack 0") + DigestOf("pack 1") +
                             DigestOf("pack 2") + std::string(tree.base->View()) + Hex("02");
  EXPECT_EQ(written->substr(0, header.size()), header);
  const std::string frame = EncodeRawFrame(body);
  std::string object = header + static_cast<char>(body.size()) + static_cast<char>(frame.size());
  ASSERT_LT(frame.size(), 128U);
  object += frame;
  object += DigestOf(object);
  const auto read = DecodeTree(object, &base);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->entries, tree.entries);
  EXPECT_EQ(read->packs, tree.packs);
  EXPECT_EQ(read->inline_bytes, tree.inline_bytes);
}

TEST(PackFormat, MatchesTheReference) {
  Pack pack;
  const std::string many(200, 'x');
  pack.AddRaw(Buffer::Copy("hello"), Sha256::Of("hello"));
  pack.AddRaw(Buffer::Copy(many), Sha256::Of(many));
  pack.Add(Buffer::Copy("stored"), Sha256::Of("stored"), 300);
  pack.Close();
  std::string bytes;
  ASSERT_TRUE(pack.Rewind());
  for (auto piece = pack.Next(); piece && !piece->empty(); piece = pack.Next()) bytes += *piece;
  const std::string expected = Hex("28b52ffd a0 05000000 290000") + "hello" +
                               Hex("28b52ffd a0 c8000000 410600") + std::string(200, 'x') +
                               "stored" +
                               Hex("5b2a4d18 16000000 4b504931 03 11 05 d401 c801 06 ac02"
                                   "1e000000 4b504531");
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(test::ReadPackIndex(expected),
            (std::vector<Frame>{{0, 17, 5}, {17, 212, 200}, {229, 6, 300}}));
}

TEST(PackFormat, NamesAPackByItsFrames) {
  Pack pack;
  const std::string many(200, 'x');
  pack.AddRaw(Buffer::Copy(many), Sha256::Of(many));
  pack.Add(Buffer::Copy("stored"), Sha256::Of("stored"), 300);
  pack.Close();
  const std::string list =
      "kinetic pack 1\n" + Hex("d401 c801") + DigestOf(many) + Hex("06 ac02") + DigestOf("stored");
  EXPECT_EQ(pack.digest().Hex(), Sha256::Of(list).Hex());
}

}  // namespace
}  // namespace kinetic::bundle
