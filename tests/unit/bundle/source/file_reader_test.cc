#include "bundle/source/file_reader.h"

#include "unit/bundle/fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::bundle {
namespace {

using test::RandomBytes;
using testing::HasSubstr;

class FileReaderTest : public ::testing::Test {
 protected:
  Result<FileContent> Small(std::string& bytes) {
    return ReadSmallFile(PosixFileSystem(), tree_, tree_.entries.at(0), bytes);
  }
  void Walk() { tree_ = test::ListFolder(source_.path()); }

  test::TempTree source_;
  SourceTree tree_;
  BufferPool buffers_{kMaxChunkBytes};
};

TEST_F(FileReaderTest, ReadsAFile) {
  source_.Write("a", "content");
  Walk();
  std::string bytes = "before ";
  const auto content = Small(bytes);
  ASSERT_TRUE(content);
  EXPECT_EQ(bytes, "before content");
  EXPECT_EQ(content->digest, Sha256::Of("content"));
}

TEST_F(FileReaderTest, RetriesIfTheFileChangedSinceTheWalk) {
  source_.Write("a", "old");
  Walk();
  source_.Write("a", "much newer");
  std::string bytes;
  const auto content = Small(bytes);
  ASSERT_TRUE(content) << content.error().message;
  EXPECT_EQ(bytes, "much newer");
  EXPECT_EQ(content->status.size_bytes, 10U);
}

TEST_F(FileReaderTest, ReportsRemovedAndReplacedFiles) {
  source_.Write("a", "old");
  Walk();
  std::filesystem::remove(source_ / "a");
  std::string bytes;
  EXPECT_THAT(Small(bytes).error().message, HasSubstr("/a"));
  source_.MakeFolder("a");
  EXPECT_FALSE(Small(bytes));
  EXPECT_TRUE(bytes.empty());
}

TEST_F(FileReaderTest, ReadsALargeFileInChunks) {
  const std::string content = RandomBytes(20 << 20, 1);
  source_.Write("large", content);
  Walk();
  std::string got;
  const auto read = ReadLargeFile(
      PosixFileSystem(), tree_, tree_.entries[0], buffers_,
      {[&] { got.clear(); },
       [&](const Digest& digest, Buffer chunk, bool compressible) {
         EXPECT_EQ(digest, Sha256::Of(chunk.view()));
         EXPECT_FALSE(compressible);
         EXPECT_EQ(chunk.size(), std::min(kMaxChunkBytes, content.size() - got.size()));
         got += chunk.view();
         return Status();
       }},
      {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(got, content);
  EXPECT_EQ(read->digest, Sha256::Of(content));
}

TEST_F(FileReaderTest, SplitsCompressibleFilesByContent) {
  const std::string content = test::CompressibleText(20 << 20, 1);
  source_.Write("large", content);
  Walk();
  std::string_view left = content;
  const auto read =
      ReadLargeFile(PosixFileSystem(), tree_, tree_.entries[0], buffers_,
                    {[&] { left = content; },
                     [&](const Digest& digest, Buffer chunk, bool compressible) {
                       EXPECT_EQ(digest, Sha256::Of(chunk.view()));
                       EXPECT_TRUE(compressible);
                       EXPECT_EQ(chunk.size(), ChunkLength(left.substr(0, kMaxChunkBytes)));
                       EXPECT_TRUE(left.starts_with(chunk.view()));
                       left.remove_prefix(std::min(left.size(), chunk.size()));
                       return Status();
                     }},
                    {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(left.empty());
  EXPECT_EQ(read->digest, Sha256::Of(content));
}

TEST_F(FileReaderTest, HashesALargeFile) {
  const std::string content = RandomBytes((3 << 20) + 77, 1);
  source_.Write("large", content);
  Walk();
  std::string bytes;
  const auto read = HashFile(PosixFileSystem(), tree_, tree_.entries[0], bytes, {});
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->digest, Sha256::Of(content));
  EXPECT_EQ(bytes, "");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(
      HashFile(PosixFileSystem(), tree_, tree_.entries[0], bytes, stop.get_token()).error().code,
      ErrorCode::kCancelled);
}

/// Appends to `file` after each of the first `times` chunks.
Result<FileContent> ReadWhileItGrows(const SourceTree& tree, const Path& file, int times) {
  int starts = 0;
  BufferPool buffers(kMaxChunkBytes);
  return ReadLargeFile(PosixFileSystem(), tree, tree.entries[0], buffers,
                       {[&] { ++starts; },
                        [&](const Digest&, Buffer, bool) {
                          if (starts <= times) {
                            std::filesystem::resize_file(file,
                                                         std::filesystem::file_size(file) + 1);
                          }
                          return Status();
                        }},
                       {});
}

TEST_F(FileReaderTest, RetriesOnceIfTheFileChangesWhileItIsRead) {
  source_.Write("log", RandomBytes(3 << 20, 1));
  Walk();
  const auto once = ReadWhileItGrows(tree_, source_ / "log", 1);
  ASSERT_TRUE(once) << once.error().message;
  EXPECT_EQ(once->digest, Sha256::Of(source_.Read("log")));
}

TEST_F(FileReaderTest, ReportsFilesThatKeepChanging) {
  source_.Write("log", RandomBytes(3 << 20, 1));
  Walk();
  const auto always = ReadWhileItGrows(tree_, source_ / "log", 10);
  ASSERT_FALSE(always);
  EXPECT_EQ(always.error().code, ErrorCode::kAborted);
  EXPECT_THAT(always.error().message, HasSubstr("'log'"));
  EXPECT_THAT(always.error().message, HasSubstr("changed while it was read"));
}

TEST_F(FileReaderTest, DetectsTruncation) {
  source_.Write("log", RandomBytes(9 << 20, 1));
  Walk();
  const auto read = ReadLargeFile(PosixFileSystem(), tree_, tree_.entries[0], buffers_,
                                  {[] {},
                                   [&](const Digest&, Buffer, bool) {
                                     std::filesystem::resize_file(source_ / "log", 2 << 20);
                                     return Status();
                                   }},
                                  {});
  EXPECT_EQ(read.error().code, ErrorCode::kAborted);
}

}  // namespace
}  // namespace kinetic::bundle
