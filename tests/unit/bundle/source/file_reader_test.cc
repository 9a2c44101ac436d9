#include "bundle/source/file_reader.h"

#include "unit/bundle/fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <functional>
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
    return HashFile(PosixFileSystem(), tree_, tree_.entries.at(0), bytes, {});
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
  source_.Write("secret", "outside");
  Walk();
  std::filesystem::remove(source_ / "a");
  std::string bytes;
  EXPECT_EQ(Small(bytes).error().code, ErrorCode::kNotFound);
  EXPECT_THAT(Small(bytes).error().message, HasSubstr("/a"));
  source_.MakeFolder("a");
  EXPECT_EQ(Small(bytes).error().code, ErrorCode::kNotFound);
  std::filesystem::remove(source_ / "a");
  ASSERT_EQ(::mkfifo((source_ / "a").c_str(), 0600), 0);
  EXPECT_EQ(Small(bytes).error().code, ErrorCode::kNotFound);
  std::filesystem::remove(source_ / "a");
  source_.MakeLink("a", "secret");
  EXPECT_EQ(Small(bytes).error().code, ErrorCode::kAborted);
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

/// Calls `change` after each chunk of the first `times` passes over a file.
Result<FileContent> ReadWhile(const SourceTree& tree, int times,
                              const std::function<void()>& change, std::string& got) {
  int starts = 0;
  BufferPool buffers(kMaxChunkBytes);
  return ReadLargeFile(PosixFileSystem(), tree, tree.entries[0], buffers,
                       {[&] {
                          ++starts;
                          got.clear();
                        },
                        [&](const Digest&, Buffer chunk, bool) {
                          got += chunk.view();
                          if (starts <= times) change();
                          return Status();
                        }},
                       {});
}

TEST_F(FileReaderTest, RetriesOnceIfTheFileChangesWhileItIsRead) {
  source_.Write("log", RandomBytes(3 << 20, 1));
  Walk();
  std::string got;
  const auto once =
      ReadWhile(tree_, 1, [&] { std::filesystem::resize_file(source_ / "log", 4 << 20); }, got);
  ASSERT_TRUE(once) << once.error().message;
  EXPECT_FALSE(once->changed);
  EXPECT_EQ(once->digest, Sha256::Of(source_.Read("log")));
}

TEST_F(FileReaderTest, ReadsAGrowingFileUpToItsLengthAtTheStart) {
  const std::string begin = RandomBytes(3 << 20, 1);
  source_.Write("log", begin);
  Walk();
  std::string got;
  const auto grow = [&] {
    std::filesystem::resize_file(source_ / "log", std::filesystem::file_size(source_ / "log") + 1);
  };
  const auto always = ReadWhile(tree_, 10, grow, got);
  ASSERT_TRUE(always) << always.error().message;
  EXPECT_TRUE(always->changed);
  EXPECT_EQ(got, begin + '\0');  // the second pass started after one change
  EXPECT_EQ(always->status.size_bytes, got.size());
  EXPECT_EQ(always->digest, Sha256::Of(got));
}

TEST_F(FileReaderTest, ReadsWhatIsLeftOfATruncatedFile) {
  for (const std::string& begin : {RandomBytes(20 << 20, 1), test::CompressibleText(20 << 20, 1)}) {
    source_.Write("log", begin);
    Walk();
    std::uint64_t left = 19 << 20;
    std::string got;
    const auto shrink = [&] { std::filesystem::resize_file(source_ / "log", left -= 1 << 20); };
    const auto read = ReadWhile(tree_, 10, shrink, got);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(read->changed);
    EXPECT_TRUE(begin.starts_with(got));
    EXPECT_EQ(read->status.size_bytes, got.size());
    EXPECT_EQ(read->digest, Sha256::Of(got));
  }
}

}  // namespace
}  // namespace kinetic::bundle
