#include "local/outputs.h"

#include "record/object_names.h"
#include "record/outcome.h"
#include "store/folder_store.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <filesystem>
#include <tuple>

namespace kinetic::local {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OutputsTest : public ::testing::Test {
 protected:
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& [name, info] : store_.Objects()) names.push_back(name);
    return names;
  }
  Result<OutputReport> StoreFolder(const Path& folder) {
    const auto files = ProgramFiles::Open(PosixFileSystem(), tree_.path(), std::nullopt);
    return StoreOutputs(store_, *files, folder, "k-1", {});
  }
  store::Metadata MetadataOf(const std::string& name) {
    return store_.Objects().at("outputs/k-1/" + name).metadata;
  }
  Result<OutputReport> Store() { return StoreFolder(tree_.path()); }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  test::TempTree tree_;
};

TEST_F(OutputsTest, StoresFilesUnderEncodedNames) {
  tree_.Write("model/weights.bin", std::string(3'000'000, 'w'));
  tree_.Write("history.json", "{}");
  tree_.Write("50% done\n", "x");
  tree_.Write("\xFF", "y");
  tree_.MakeFolder("empty");
  const auto report = Store();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->files, 4U);
  EXPECT_EQ(report->bytes, 3'000'004U);
  EXPECT_THAT(Names(), ElementsAre("outputs/k-1/%FF", "outputs/k-1/50%25 done%0A",
                                   "outputs/k-1/history.json", "outputs/k-1/model/weights.bin"));
}

TEST_F(OutputsTest, KeepsLinksInsideTheFolderOnly) {
  tree_.Write("best/model", "m");
  tree_.MakeLink("latest", "best/model");
  tree_.MakeLink("again", "./best/../latest");
  tree_.MakeLink("best/self", (tree_ / "best/model").native());
  tree_.MakeLink("folder", "best");
  tree_.MakeLink("out", "/etc/passwd");
  tree_.MakeLink("up", "../");
  tree_.MakeLink("dangling", "nowhere");
  tree_.MakeLink("loop", "loop");
  tree_.MakeLink("whole", ".");
  ASSERT_EQ(::mkfifo((tree_ / "pipe").c_str(), 0600), 0);
  const auto report = Store();
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(Names(),
              ElementsAre("outputs/k-1/again", "outputs/k-1/best/model", "outputs/k-1/best/self",
                          "outputs/k-1/folder", "outputs/k-1/latest"));
  EXPECT_EQ(report->skipped.size(), 6U);
  EXPECT_EQ(MetadataOf("latest"), (store::Metadata{{"link", "best/model"}}));
  EXPECT_EQ(MetadataOf("again"), (store::Metadata{{"link", "best/model"}}));
  EXPECT_EQ(MetadataOf("best/self"), (store::Metadata{{"link", "model"}}));
  EXPECT_EQ(MetadataOf("folder"), (store::Metadata{{"link", "best/"}}));
  EXPECT_EQ(**store::GetBytes(store_, "outputs/k-1/latest", {}), "m");
  EXPECT_EQ(**store::GetBytes(store_, "outputs/k-1/folder", {}), "");
}

TEST_F(OutputsTest, KeepsExecuteBit) {
  std::filesystem::permissions(tree_.Write("tool", "#!/bin/sh"), std::filesystem::perms::owner_all);
  tree_.Write("data", "x");
  ASSERT_TRUE(Store());
  EXPECT_EQ(MetadataOf("tool"), (store::Metadata{{"executable", "1"}}));
  EXPECT_EQ(MetadataOf("data"), store::Metadata{});
}

TEST_F(OutputsTest, TargetsOfLinksAreRelativeAndInside) {
  for (const auto& [path, destination, target] : {std::tuple{"a", "b", "b"},
                                                  {"a", "d/b", "d/b"},
                                                  {"d/a", "b", "../b"},
                                                  {"d/a", "d/b", "b"},
                                                  {"d/e/a", "d/f/b", "../f/b"},
                                                  {"d/e/a", "de/b", "../../de/b"},
                                                  {"d/a", "d", "../d"}}) {
    EXPECT_EQ(RelativeTarget(path, destination), target);
    EXPECT_EQ(DestinationOf(path, target), destination);
  }
  for (const char* target : {"", "..", "../b", "../../b", "b/..", "b/../c", "./b", "b//c", "/etc",
                             "b/", "..//b", "b/../../../etc"}) {
    EXPECT_EQ(DestinationOf("a", target), std::nullopt) << target;
  }
  const OutputKind kind{.executable = true, .link = "50% \n\xFF", .links_folder = true};
  const OutputKind back = OutputKindOf(ToMetadata(kind));
  EXPECT_EQ(std::tie(back.executable, back.link, back.links_folder),
            std::tie(kind.executable, kind.link, kind.links_folder));
}

TEST_F(OutputsTest, ReplacesExistingObjects) {
  const Path file = tree_.Write("a", "one");
  ASSERT_TRUE(Store());
  tree_.Write("a", "two");
  ASSERT_TRUE(Store());
  EXPECT_EQ(**store::GetBytes(store_, "outputs/k-1/a", {}), "two");
}

TEST_F(OutputsTest, RereadsAFileThatChangesMeanwhile) {
  tree_.Write("a", "one");
  int puts = 0;
  store_.SetHook([&](std::string_view operation, std::string_view) -> Status {
    if (operation != "put" || ++puts > 2) return {};
    tree_.Write("a", "longer " + std::to_string(puts));
    return Fail(ErrorCode::kAborted, "the file changed meanwhile");
  });
  const auto report = Store();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->failure);
  EXPECT_EQ(**store::GetBytes(store_, "outputs/k-1/a", {}), "longer 2");
  puts = -1000;
  const auto never = Store();
  ASSERT_TRUE(never);
  EXPECT_TRUE(never->failure);
  EXPECT_LT(puts, -990) << "retries are bounded";
}

TEST_F(OutputsTest, SkipsNamesThatTheStoreCannotHold) {
  const std::string long_part = std::string(100, '\xe9') + "/";
  tree_.Write(long_part + long_part + long_part + long_part + "x", "unstorable");
  tree_.Write("a", "kept too");
  tree_.Write("z", "kept");
  const auto report = Store();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->failure);
  EXPECT_THAT(report->skipped, ElementsAre(HasSubstr("/x: its name is too long for the store")));
  const auto kept = store::GetBytes(store_, "outputs/k-1/z", {});
  ASSERT_TRUE(kept && *kept);
  EXPECT_EQ(**kept, "kept");
  EXPECT_THAT(Names(), ElementsAre("outputs/k-1/a", "outputs/k-1/z"));
}

TEST_F(OutputsTest, NamesOfOneFolderStoreMayFitIntoAnother) {
  const std::string name = "%E3%81%82%E3%81%82%E3%81%82%E3%81%82%E3%81%82%E3%81%82%E3%81%82";
  const std::string url = name + name + name + name;  // 252 bytes, and 420 in the store
  tree_.Write("out/" + url, "page");
  tree_.Write("out/b", "b");
  tree_.MakeFolder("store");
  store::FolderStore folder(tree_ / "store", PosixFileSystem(), clock_);
  const auto files = ProgramFiles::Open(PosixFileSystem(), tree_.path(), std::nullopt);
  const auto report = StoreOutputs(folder, *files, tree_ / "out", "k-1", {});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_FALSE(report->failure);
  EXPECT_EQ(report->files, 1U);
  EXPECT_THAT(report->skipped, ElementsAre(HasSubstr(url + ": its name is too long")));
  EXPECT_EQ(StoreFolder(tree_ / "out")->files, 2U);
}

TEST_F(OutputsTest, AProgramsValueIsNoFaultOfTheStore) {
  const auto files = ProgramFiles::Open(PosixFileSystem(), tree_.path(), std::nullopt);
  const auto code = [&] {
    const auto stored = StoreValue(store_, files->fs(), tree_.path(), record::RunKey("k-1"), {});
    return stored ? ErrorCode::kInternal : stored.error().code;
  };
  EXPECT_EQ(code(), ErrorCode::kDataLoss) << "missing";
  tree_.Write("value.json", "1");
  std::filesystem::resize_file(tree_ / "value.json", record::kMaxValueBytes + 1);
  EXPECT_EQ(code(), ErrorCode::kDataLoss) << "too large";
  std::filesystem::remove(tree_ / "value.json");
  tree_.MakeFolder("value.json");
  EXPECT_EQ(code(), ErrorCode::kDataLoss) << "a folder";
}

TEST_F(OutputsTest, ArraysOfAValueAreVerifiedWhileTheyAreStored) {
  tree_.Write("value.json", "1");
  const auto store_value = [&] {
    const auto files = ProgramFiles::Open(PosixFileSystem(), tree_.path(), std::nullopt);
    const auto stored = StoreValue(store_, files->fs(), tree_.path(), record::RunKey("k-1"), {});
    return stored ? std::string("stored") : stored.error().message;
  };
  for (const std::size_t size : {std::size_t{100}, std::size_t{3U << 20}}) {
    const std::string content(size, 'a');
    const std::string digest = Sha256::Of(content).Hex();
    const std::string name = record::StoredValueName(record::RunKey("k-1"), Sha256::Of(content));
    tree_.Write("values/" + digest, content + "b");
    EXPECT_EQ(store_value(), "an array of the result was modified before it was stored");
    EXPECT_FALSE(*store_.Stat(name, {})) << size;
    tree_.Write("values/" + digest, content);
    EXPECT_EQ(store_value(), "stored");
    EXPECT_EQ(*store::GetBytes(store_, name, {}), content);
  }
}

TEST_F(OutputsTest, DecodesEncodedPathsOnly) {
  for (const std::string_view path :
       {"plain", "50% done\n", "\xFF\xFE/x", "\xC3\xA9t\xC3\xA9", "a%2Fb", "%", "%4", "\x7F"}) {
    EXPECT_EQ(DecodeObjectPath(EncodeObjectPath(path)), path);
  }
  EXPECT_EQ(DecodeObjectPath("%2E%2E%2Fpasswd%00"), "%2E%2E%2Fpasswd%00");
  EXPECT_EQ(DecodeObjectPath("%zz%4"), "%zz%4");
}

TEST_F(OutputsTest, TreatsAnAbsentFolderAsEmpty) {
  const auto report = StoreFolder(tree_ / "absent");
  ASSERT_TRUE(report);
  EXPECT_EQ(report->files, 0U);
}

}  // namespace
}  // namespace kinetic::local
