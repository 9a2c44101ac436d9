#include "job/outputs/fetch.h"

#include "base/hash/crc32c.h"
#include "record/object_names.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>

namespace kinetic::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ObjectDownloadTest : public ::testing::Test {
 protected:
  void Store(std::string_view content) {
    content_ = content;
    ASSERT_TRUE(store::Overwrite(store_, "outputs/k-1/a", content, {}));
    object_ = **store_.Stat("outputs/k-1/a", {});
    object_.crc32c = Crc32c().Update(content).Base64();
  }

  ObjectDownload Download() {
    return ObjectDownload(store_, PosixFileSystem(), object_, tree_ / "to/a", {1000, 2, {}});
  }
  Status Fetch() {
    return Download().Fetch([this](std::uint64_t bytes) { fetched_ += bytes; }, {});
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(tree_ / "to")) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  /// The partial file with this suffix.
  std::string Beside(std::string_view ending) const {
    for (const auto& name : Files()) {
      if (name.ends_with(ending)) return "to/" + name;
    }
    return {};
  }
  /// Fails after three of four ranges.
  void FetchMost() {
    Store(std::string(1000, 'w') + std::string(1000, 'x') + std::string(1000, 'y') + "z");
    std::atomic<int> gets = 0;
    store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
      if (operation == "get" && ++gets > 3) return Fail(ErrorCode::kUnavailable, "away");
      return {};
    });
    ASSERT_FALSE(Fetch());
    store_.SetHook({});
    ASSERT_FALSE(Beside(".part").empty()) << "partial data is kept";
    fetched_ = 0;
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  std::string content_;
  store::ObjectInfo object_;
  std::atomic<std::uint64_t> fetched_ = 0;
};

TEST_F(ObjectDownloadTest, DownloadsWholeFile) {
  Store("content");
  EXPECT_FALSE(*Download().IsComplete());
  const auto fetched = Fetch();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(tree_.Read("to/a"), "content");
  EXPECT_THAT(Files(), ElementsAre("a"));
  EXPECT_TRUE(*Download().IsComplete());
  EXPECT_EQ(fetched_, 7U);
}

TEST_F(ObjectDownloadTest, DownloadsEmptyFile) {
  Store("");
  ASSERT_TRUE(Fetch());
  EXPECT_EQ(tree_.Read("to/a"), "");
}

TEST_F(ObjectDownloadTest, DetectsDifferentContent) {
  Store("content");
  tree_.Write("to/a", "CONTENT");
  EXPECT_FALSE(*Download().IsComplete());
  ASSERT_TRUE(Fetch());
  EXPECT_EQ(tree_.Read("to/a"), "content");
}

TEST_F(ObjectDownloadTest, ResumesPartialDownload) {
  FetchMost();
  EXPECT_LE(*Download().RemainingBytes(), 1001U);
  ASSERT_TRUE(Fetch());
  EXPECT_LE(fetched_, 1001U);
  EXPECT_GT(fetched_, 0U);
  EXPECT_EQ(tree_.Read("to/a"), content_);
  EXPECT_THAT(Files(), ElementsAre("a"));
}

TEST_F(ObjectDownloadTest, RefetchesDamagedParts) {
  FetchMost();
  const std::string part = Beside(".part");
  std::string damaged = tree_.Read(part);
  damaged[500] = damaged[1500] = '!';
  tree_.Write(part, damaged);
  ASSERT_TRUE(Fetch());
  EXPECT_GT(fetched_, 1001U);
  EXPECT_LE(fetched_, 3001U) << "fetches nothing twice";
  EXPECT_EQ(tree_.Read("to/a"), content_);
}

TEST_F(ObjectDownloadTest, DiscardsDataWithWrongChecksum) {
  Store(std::string(2500, 'x'));
  object_.crc32c = Crc32c().Update("other").Base64();
  const auto fetched = Fetch();
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(fetched_, 5000U) << "fetched twice";
  EXPECT_THAT(Files(), IsEmpty());
}

TEST_F(ObjectDownloadTest, RejectsObjectReplacedDuringDownload) {
  for (const std::size_t size : {10U, 2500U}) {
    Store(std::string(size, 'x'));
    ASSERT_TRUE(store::Overwrite(store_, "outputs/k-1/a", std::string(size, 'y'), {}));
    const auto fetched = Fetch();
    ASSERT_FALSE(fetched);
    EXPECT_EQ(fetched.error().code, ErrorCode::kAborted);
    EXPECT_THAT(Files(), IsEmpty());
  }
}

class OutputsTest : public ::testing::Test {
 protected:
  OutputsTest() {
    auto store = std::make_unique<test::MemoryStore>(clock_);
    store_ = store.get();
    context_ = std::unique_ptr<Context>(
        new Context{{}, PosixFileSystem(), clock_, nullptr, std::move(store), nullptr});
    for (const auto& [name, content] :
         std::vector<std::pair<std::string, std::string>>{{"history.json", "{}"},
                                                          {"model/a", "AA"},
                                                          {"model/b", "B"},
                                                          {"model2", "C"},
                                                          {"50%25%0A", "odd"},
                                                          {"%2E%2E%2Fup", "kept inside"}}) {
      EXPECT_TRUE(store::PutBytes(*store_, record::OutputName("k-1", name), content,
                                  store::Precondition::Absent(), {}));
    }
  }

  Result<FetchReport> Fetch(std::vector<std::string> paths = {}) {
    return FetchOutputs(*context_, "k-1", {.folder = tree_ / "to", .paths = std::move(paths)}, {});
  }

  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree_.path())) {
      if (entry.is_regular_file()) names.push_back(entry.path().lexically_relative(tree_.path()));
    }
    std::ranges::sort(names);
    return names;
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  test::MemoryStore* store_ = nullptr;
  std::unique_ptr<Context> context_;
};

TEST_F(OutputsTest, ListsOriginalNames) {
  const auto files = ListOutputs(*context_, "k-1", {});
  ASSERT_TRUE(files);
  std::vector<std::string> paths;
  for (const auto& file : *files) paths.push_back(file.path);
  EXPECT_THAT(paths,
              ElementsAre("%2E%2E%2Fup", "50%\n", "history.json", "model/a", "model/b", "model2"));
  EXPECT_EQ((*files)[3].size_bytes, 2U);
}

TEST_F(OutputsTest, FetchesEachFileOnce) {
  auto fetched = Fetch();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->files, 6U);
  EXPECT_THAT(Files(), ElementsAre("to/%2E%2E%2Fup", "to/.gitignore", "to/50%\n", "to/history.json",
                                   "to/model/a", "to/model/b", "to/model2"))
      << "no files outside the folder";
  // The clock of the store is ahead of the file system clock.
  for (const auto& file : Files()) {
    std::filesystem::last_write_time(tree_ / file, std::filesystem::file_time_type::clock::now() +
                                                       std::chrono::hours(24 * 9999));
  }
  fetched = Fetch();
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->files, 0U);
  EXPECT_EQ(fetched->files_present, 6U);
}

TEST_F(OutputsTest, SelectsFolder) {
  ASSERT_TRUE(Fetch({"model/", "history.json"}));
  EXPECT_THAT(Files(), ElementsAre("to/.gitignore", "to/history.json", "to/model/a", "to/model/b"));
}

TEST_F(OutputsTest, ExistingFolderGetsNoIgnoreFile) {
  tree_.Write("to/work.py", "");
  ASSERT_TRUE(Fetch({"model2"}));
  EXPECT_THAT(Files(), ElementsAre("to/model2", "to/work.py"));
}

TEST_F(OutputsTest, JobWithoutOutputsCreatesNoFolder) {
  const auto fetched = FetchOutputs(*context_, "k-2", {.folder = tree_ / "to"}, {});
  ASSERT_TRUE(fetched);
  EXPECT_EQ(fetched->files + fetched->files_present, 0U);
  EXPECT_FALSE(std::filesystem::exists(tree_ / "to"));
}

TEST_F(OutputsTest, RemovesOnlyTheOutputsOfTheJob) {
  ASSERT_TRUE(store::PutBytes(*store_, record::OutputName("k-11", "other"), "1",
                              store::Precondition::Absent(), {}));
  const auto removed = RemoveOutputs(*context_, "k-1", {}, {});
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->files, 6U);
  EXPECT_EQ(removed->bytes, 2U + 2U + 1U + 1U + 3U + 11U);
  EXPECT_TRUE(ListOutputs(*context_, "k-1", {})->empty());
  EXPECT_EQ(ListOutputs(*context_, "k-11", {})->size(), 1U);
}

TEST_F(OutputsTest, RemovesTheGivenPathsOrNothing) {
  EXPECT_FALSE(RemoveOutputs(*context_, "k-1", {"history.json", "nosuch"}, {}));
  EXPECT_EQ(ListOutputs(*context_, "k-1", {})->size(), 6U);
  const auto removed = RemoveOutputs(*context_, "k-1", {"model", "history.json"}, {});
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->files, 3U);
}

class OutputLinksTest : public OutputsTest {
 protected:
  void Put(const std::string& path, std::string_view content, store::Metadata metadata) {
    store::BytesSource source(content);
    const std::string name = record::OutputName("k-1", path);
    EXPECT_TRUE(store_->Put(name, source, store::Precondition::Absent(),
                            {.metadata = std::move(metadata), .lease = {}}, {}));
  }
  /// Returns the target of a fetched link, or "" if it is none.
  std::string Link(const std::string& path) const {
    std::error_code failed;
    return std::filesystem::read_symlink(tree_ / "to" / path, failed).native();
  }
};

TEST_F(OutputLinksTest, LinksAndExecuteBitsComeBack) {
  Put("latest", "AA", {{"link", "model/a"}});
  Put("folder", "", {{"link", "model/"}});
  Put("model/up", "{}", {{"link", "../history.json"}});
  Put("tool", "#!/bin/sh", {{"executable", "1"}});
  for (const std::uint64_t missing : {10U, 0U}) {
    const auto fetched = Fetch();
    ASSERT_TRUE(fetched) << fetched.error().message;
    EXPECT_EQ(fetched->files, missing);
    EXPECT_EQ(fetched->files + fetched->files_present, 10U);
    EXPECT_EQ(Link("latest"), "model/a");
    EXPECT_EQ(Link("folder"), "model");
    EXPECT_EQ(Link("model/up"), "../history.json");
    const auto mode = std::filesystem::status(tree_ / "to/tool").permissions();
    EXPECT_NE(mode & std::filesystem::perms::owner_exec, std::filesystem::perms::none);
    for (const auto& file : Files()) {
      std::filesystem::last_write_time(tree_ / file, std::filesystem::file_time_type::clock::now() +
                                                         std::chrono::hours(24 * 9999));
    }
  }
}

TEST_F(OutputLinksTest, LinkWithoutItsDestinationIsACopy) {
  Put("latest", "AA", {{"link", "model/a"}});
  ASSERT_TRUE(Fetch({"latest"}));
  EXPECT_EQ(Link("latest"), "");
  EXPECT_EQ(tree_.Read("to/latest"), "AA");
}

TEST_F(OutputLinksTest, HostileLinksStayInTheFolder) {
  tree_.Write("outside", "precious");
  int number = 0;
  for (const std::string target :
       {"/etc/passwd", "../outside", "..", "../", ".", "model/../../outside", "a/../../outside",
        "./../outside", "", "//outside", "model/..", "../to/history.json"}) {
    for (const char* slash : {"", "/"}) {
      Put("link" + std::to_string(++number), "copy", {{"link", target + slash}});
    }
  }
  ASSERT_TRUE(Fetch());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tree_ / "to")) {
    EXPECT_FALSE(entry.is_symlink()) << entry.path();
  }
}

TEST_F(OutputLinksTest, NothingIsCreatedThroughALink) {
  const test::TempTree outside;
  std::filesystem::create_directory(tree_ / "to");
  std::filesystem::create_directory_symlink(outside.path(), tree_ / "to/d");
  Put("d/l", "", {{"link", "x"}});
  Put("d/x", "x", {});
  EXPECT_FALSE(Fetch());
  EXPECT_FALSE(std::filesystem::is_symlink(outside / "l"));
}

TEST_F(OutputsTest, RejectsUnknownPath) {
  const auto fetched = Fetch({"model/a", "mode"});
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(fetched.error().message, HasSubstr("mode"));
  EXPECT_THAT(Files(), IsEmpty());
}

}  // namespace
}  // namespace kinetic::job
