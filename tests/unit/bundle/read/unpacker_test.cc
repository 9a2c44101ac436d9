#include "bundle/read/unpacker.h"

#include "bundle/read/tree_loader.h"
#include "support/faulty_file_system.h"
#include "unit/bundle/fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>

namespace kinetic::bundle {
namespace {

using test::BundleFixture;
using test::CompressibleText;
using test::ExpectSameFolders;
using test::RandomBytes;
using testing::HasSubstr;

/// A bundle with small files, chunks, links and folders.
class UnpackerTest : public ::testing::Test, public BundleFixture {
 protected:
  void SetUp() override {
    for (std::uint64_t i = 0; i < 40; ++i) {
      source.Write("src/f" + std::to_string(i) + ".py", CompressibleText(20'000, i));
    }
    source.Write("model.bin", RandomBytes(9 << 20, 1));
    source.Write("tool", "#!/bin/sh\n", 0755);
    source.Write("empty", "");
    source.MakeFolder("out/none");
    source.MakeLink("src/link", "../tool");
    const auto report = Write();
    ASSERT_TRUE(report) << report.error().message;
    tree_ = report->tree;
    pack_ = Names("packs/").at(0);
    object_ = "trees/" + tree_.Hex();
  }

  Error UnpackingFails() {
    const auto report = Unpack(tree_, NewFolder());
    EXPECT_FALSE(report);
    return report ? Error{} : report.error();
  }

  Digest tree_;
  std::string pack_;
  std::string object_;
};

TEST_F(UnpackerTest, RestoresTheBundle) {
  const Path folder = NewFolder();
  const auto report = Unpack(tree_, folder);
  ASSERT_TRUE(report) << report.error().message;
  ExpectSameFolders(source.path(), folder);
  EXPECT_EQ(report->files, 43U);
  EXPECT_EQ(report->links, 1U);
  EXPECT_EQ(report->content_bytes, 40U * 20'000 + (9 << 20) + 10);
}

TEST_F(UnpackerTest, SetsModesRegardlessOfTheUmask) {
  const auto before = ::umask(0077);
  const Path folder = NewFolder();
  const auto report = Unpack(tree_, folder);
  ::umask(before);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(PosixFileSystem().Lstat(folder / "src")->mode, 0755U);
  ExpectSameFolders(source.path(), folder);
}

TEST_F(UnpackerTest, RejectsANonEmptyFolder) {
  const Path folder = NewFolder();
  std::filesystem::create_directories(folder / "something");
  EXPECT_EQ(Unpack(tree_, folder).error().code, ErrorCode::kFailedPrecondition);
  std::filesystem::remove(folder / "something");
  EXPECT_TRUE(Unpack(tree_, folder));
}

TEST_F(UnpackerTest, ReportsMissingObjects) {
  store.Drop(pack_);
  Error error = UnpackingFails();
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.message, HasSubstr(pack_.substr(6)));
  store.Drop(object_);
  error = UnpackingFails();
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_THAT(error.message, HasSubstr(tree_.Hex()));
}

TEST_F(UnpackerTest, ReportsDamageInAPack) {
  const std::string whole = Bytes(pack_);
  const auto loaded = LoadTree(store, tree_, {});
  ASSERT_TRUE(loaded);
  for (const auto& frame : loaded->packs[0].frames) {
    for (const std::uint64_t at :
         {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{frame.stored_bytes / 2},
          std::uint64_t{frame.stored_bytes} - 1}) {
      std::string damaged = whole;
      damaged[frame.offset + at] ^= 0x20;
      SetBytes(pack_, damaged);
      const Error error = UnpackingFails();
      EXPECT_EQ(error.code, ErrorCode::kDataLoss) << error.message;
      EXPECT_THAT(error.message, HasSubstr("cannot unpack tree " + tree_.Hex()));
      EXPECT_THAT(error.message, HasSubstr("pack " + pack_.substr(6)));
      EXPECT_THAT(error.message, HasSubstr("at byte " + std::to_string(frame.offset)));
    }
  }
  SetBytes(pack_, whole.substr(0, whole.size() / 2));
  EXPECT_THAT(UnpackingFails().message, HasSubstr("is truncated"));
}

TEST_F(UnpackerTest, RejectsATreeUnderAnotherName) {
  const Digest other = Sha256::Of("another");
  SetBytes("trees/" + other.Hex(), Bytes(object_));
  const auto report = Unpack(other, NewFolder());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(report.error().message, HasSubstr("do not match its digest"));
}

TEST_F(UnpackerTest, RejectsReorderedChunks) {
  auto loaded = LoadTree(store, tree_, {});
  ASSERT_TRUE(loaded);
  for (auto& entry : loaded->entries) {
    if (entry.extents.size() > 1) std::swap(entry.extents[0], entry.extents[1]);
  }
  SetBytes(object_, *EncodeTree(*loaded));
  const Error error = UnpackingFails();
  EXPECT_EQ(error.code, ErrorCode::kDataLoss);
  EXPECT_THAT(error.message, HasSubstr("'model.bin'"));
}

TEST_F(UnpackerTest, RejectsContentOfAnotherFile) {
  auto loaded = LoadTree(store, tree_, {});
  ASSERT_TRUE(loaded);
  auto& entries = loaded->entries;
  const auto at = [&](std::string_view path) {
    return std::find_if(entries.begin(), entries.end(),
                        [&](const TreeEntry& entry) { return entry.path == path; });
  };
  at("src/f1.py")->extents[0].offset = at("src/f2.py")->extents[0].offset;
  at("src/f1.py")->extents[0].frame = at("src/f2.py")->extents[0].frame;
  SetBytes(object_, *EncodeTree(*loaded));
  const Error error = UnpackingFails();
  EXPECT_EQ(error.code, ErrorCode::kDataLoss);
  EXPECT_THAT(error.message, HasSubstr("'src/f1.py'"));
}

TEST_F(UnpackerTest, LimitsTheContent) {
  const auto report = bundle::Unpack(store, {PosixFileSystem(), NewFolder()}, tree_,
                                     {.threads = 2, .max_content_bytes = 1 << 20}, {});
  EXPECT_EQ(report.error().code, ErrorCode::kResourceExhausted);
}

TEST_F(UnpackerTest, ReturnsDiskErrors) {
  for (std::uint64_t at = 0; at < 200; at += 7) {
    test::FaultyFileSystem faulty(
        [&](std::uint64_t index, std::string_view, const Path&) -> std::optional<int> {
          return index == at ? std::optional(ENOSPC) : std::nullopt;
        });
    const auto report = bundle::Unpack(store, {faulty, NewFolder()}, tree_, {.threads = 2}, {});
    if (report) {
      EXPECT_LE(faulty.count(), at);
      return;
    }
    EXPECT_EQ(report.error().code, ErrorCode::kResourceExhausted) << report.error().message;
  }
}

TEST_F(UnpackerTest, ObservesTheStopToken) {
  std::stop_source stop;
  request_error = [&](std::uint64_t, std::string_view name) {
    if (name.starts_with("packs/")) stop.request_stop();
    return std::optional<Error>();
  };
  const auto report = bundle::Unpack(store, {PosixFileSystem(), NewFolder()}, tree_, {.threads = 2},
                                     stop.get_token());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::kCancelled);
}

TEST_F(UnpackerTest, CopiesUnchangedOriginals) {
  source.Write("src/f1.py", CompressibleText(20'000, 100));
  std::filesystem::remove(source / "src/f2.py");
  const OriginalFiles originals{source.path(), [&](const std::string& path, const FileStatus&) {
                                  return std::optional(Sha256::Of(source.Read(path)));
                                }};
  const Path folder = NewFolder();
  const auto report = bundle::Unpack(store, {PosixFileSystem(), folder}, tree_,
                                     {.threads = 2, .originals = &originals}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->files, 43U);
  EXPECT_EQ(report->copied_files, 40U);  // all but the two changed and the empty one
  EXPECT_EQ(report->content_bytes, 40U * 20'000 + (9 << 20) + 10);
  for (int i = 0; i < 40; ++i) {
    const std::string path = "src/f" + std::to_string(i) + ".py";
    EXPECT_EQ(*ReadFile(PosixFileSystem(), folder / path, 1 << 20),
              CompressibleText(20'000, static_cast<std::uint64_t>(i)))
        << path;
  }
  EXPECT_EQ(*ReadFile(PosixFileSystem(), folder / "model.bin", 16 << 20), RandomBytes(9 << 20, 1));
  EXPECT_EQ(PosixFileSystem().Lstat(folder / "tool")->mode, 0755U);
}

TEST_F(UnpackerTest, TakesStoredContentIfAnOriginalChangesWhileItIsCopied) {
  std::set<std::string> seen;
  const OriginalFiles originals{
      source.path(), [&](const std::string& path, const FileStatus&) -> std::optional<Digest> {
        if (seen.insert(path).second) return Sha256::Of(source.Read(path));
        return std::nullopt;  // its times are different after the copy
      }};
  const Path folder = NewFolder();
  const auto report = bundle::Unpack(store, {PosixFileSystem(), folder}, tree_,
                                     {.threads = 1, .originals = &originals}, {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->copied_files, 0U);
  EXPECT_EQ(report->files, 43U);
  EXPECT_EQ(seen.size(), 42U);
  ExpectSameFolders(source.path(), folder);
}

TEST_F(UnpackerTest, ReadsOneFileOfATree) {
  const auto loaded = LoadTree(store, tree_, {});
  ASSERT_TRUE(loaded);
  for (const auto& entry : loaded->entries) {
    if (entry.type == BundleEntry::Type::kEmptyFolder) continue;
    const auto content = ReadContent(store, *loaded, entry, 10 << 20, {});
    ASSERT_TRUE(content) << content.error().message;
    if (entry.type == BundleEntry::Type::kFile) {
      EXPECT_EQ(*content, source.Read(entry.path));
    }
    const auto limited = ReadContent(store, *loaded, entry, 1 << 20, {});
    EXPECT_EQ(limited.has_value(), entry.size_bytes <= 1 << 20);
  }
}

}  // namespace
}  // namespace kinetic::bundle
