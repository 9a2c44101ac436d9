#include "base/transfer/parts_download.h"

#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

namespace kinetic::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kMiB = 1U << 20;

class PartsDownloadTest : public testing::Test {
 protected:
  static std::string Content(std::size_t size) {
    std::string content(size, '\0');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 7 + i / 251);
    return content;
  }

  PartsDownload Download(std::uint64_t part_bytes = 4 * kMiB, std::size_t connections = 1) {
    const auto count = [this](std::uint64_t bytes) { arrived_ += bytes; };
    return {PosixFileSystem(),
            {.name = "it",
             .identity = identity_,
             .size_bytes = content_.size(),
             .crc32c = Crc32c().Update(content_).Base64(),
             .file = tree_ / "file",
             .partial = tree_ / "part",
             .journal = tree_ / "parts",
             .durable = true},
            {part_bytes, connections, count}};
  }

  /// Passes ranges in pieces, as many bytes in all as there are to be had.
  PartsDownload::Range From(std::string_view content, std::uint64_t had = ~0ULL) {
    left_ = had;
    return [this, content](std::uint64_t offset, std::uint64_t length,
                           const PartsDownload::Sink& sink, const std::stop_token&) -> Status {
      for (std::uint64_t at = 0; at < length; at += kPieceBytes) {
        if (left_ < kPieceBytes) return Fail(ErrorCode::kUnavailable, "cut");
        left_ -= kPieceBytes;
        const std::string_view piece =
            content.substr(offset + at, std::min(kPieceBytes, length - at));
        if (auto taken = sink(piece); !taken) return taken;
      }
      return {};
    };
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(tree_.path())) {
      names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  }

  static constexpr std::uint64_t kPieceBytes = 100'000;
  TempTree tree_;
  std::string identity_ = "this";
  std::string content_ = Content(9 * kMiB + 5);
  std::atomic<std::uint64_t> left_ = 0;
  std::atomic<std::uint64_t> arrived_ = 0;
};

TEST_F(PartsDownloadTest, FileIsCompleteOrAbsent) {
  for (const std::size_t connections : {1U, 3U}) {
    auto download = Download(kMiB, connections);
    const auto fetched = download.Fetch(From(content_), {});
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_TRUE(tree_.Read("file") == content_);
    EXPECT_THAT(Files(), ElementsAre("file"));
  }
}

TEST_F(PartsDownloadTest, KillLosesAtMostOneMebibytePerPart) {
  const std::uint64_t had = 6 * kMiB;
  ASSERT_FALSE(Download().Fetch(From(content_, had), {}));
  EXPECT_THAT(Files(), ElementsAre("part", "parts"));
  EXPECT_GE(*Download().BytesRecorded(), had - kMiB - 2 * kPieceBytes);
  EXPECT_LE(*Download().BytesRecorded(), had);
  arrived_ = 0;
  ASSERT_TRUE(Download().Fetch(From(content_), {}));
  EXPECT_LE(arrived_, content_.size() - had + kMiB + 2 * kPieceBytes);
  EXPECT_TRUE(tree_.Read("file") == content_);
  EXPECT_THAT(Files(), ElementsAre("file"));
}

TEST_F(PartsDownloadTest, DiscardsPartsOfOtherContent) {
  ASSERT_FALSE(Download().Fetch(From(content_, 6 * kMiB), {}));
  identity_ = "that";
  content_[3] = '!';
  EXPECT_EQ(*Download().BytesRecorded(), 0U);
  arrived_ = 0;
  ASSERT_TRUE(Download().Fetch(From(content_), {}));
  EXPECT_EQ(arrived_, content_.size());
  EXPECT_TRUE(tree_.Read("file") == content_);
}

TEST_F(PartsDownloadTest, DownloadsLostBytesAgain) {
  ASSERT_FALSE(Download().Fetch(From(content_, 6 * kMiB), {}));
  std::string lost = tree_.Read("part");
  std::fill(lost.begin(), lost.begin() + kMiB, '\0');
  tree_.Write("part", lost);
  tree_.Write("parts", tree_.Read("parts") + "2 17 12");  // cut short
  arrived_ = 0;
  ASSERT_TRUE(Download().Fetch(From(content_), {}));
  EXPECT_LT(arrived_, content_.size()) << "and nothing else";
  EXPECT_TRUE(tree_.Read("file") == content_);
}

TEST_F(PartsDownloadTest, DownloadsDamagedContentOnceMore) {
  std::string damaged = content_;
  damaged[5 * kMiB] ^= 1;
  int times = 0;
  const auto first_damaged = [&](std::uint64_t offset, std::uint64_t length,
                                 const PartsDownload::Sink& sink, const std::stop_token& stop) {
    return From(++times <= 3 ? damaged : content_)(offset, length, sink, stop);
  };
  ASSERT_TRUE(Download().Fetch(first_damaged, {}));
  EXPECT_TRUE(tree_.Read("file") == content_);
  tree_.Write("file", "old");
  const auto fetched = Download().Fetch(From(damaged), {});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(Files(), ElementsAre("file")) << "nothing of it is kept";
  EXPECT_EQ(tree_.Read("file"), "old");
}

TEST_F(PartsDownloadTest, RejectsResponsesOfWrongSize) {
  const auto more = [](std::uint64_t, std::uint64_t length, const PartsDownload::Sink& sink,
                       const std::stop_token&) { return sink(std::string(length + 1, 'x')); };
  EXPECT_EQ(Download().Fetch(more, {}).error().code, ErrorCode::kDataLoss);
  const auto less = [](std::uint64_t, std::uint64_t length, const PartsDownload::Sink& sink,
                       const std::stop_token&) { return sink(std::string(length - 1, 'x')); };
  auto download = Download();
  EXPECT_EQ(download.Fetch(less, {}).error().code, ErrorCode::kAborted);
  ASSERT_TRUE(download.Discard());
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(PartsDownloadTest, SmallFileLeavesNoJournal) {
  content_ = "small";
  const auto look = [&](std::uint64_t, std::uint64_t, const PartsDownload::Sink& sink,
                        const std::stop_token&) -> Status {
    auto taken = sink(content_);
    EXPECT_THAT(Files(), ElementsAre("part"));
    return taken;
  };
  ASSERT_TRUE(Download().Fetch(look, {}));
  EXPECT_EQ(tree_.Read("file"), "small");
}

}  // namespace
}  // namespace kinetic::test
