#include "runner/outcome/download_mirror.h"

#include "base/hash/digest.h"
#include "record/object_names.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::runner {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kModel = "huggingface/hub/models--org--tiny/";
const std::string kManifest = "downloads/key/manifest.json";

/// The mirror of one pod.
class MirrorPod {
 public:
  MirrorPod(store::Store& store, Clock& clock, const Path& run, DownloadMirror::Limits limits)
      : folder(run / "downloads"),
        mirror({store, PosixFileSystem(), clock}, {folder, "downloads/key/"}, limits),
        status_(PosixFileSystem(), clock, run / "status.json", {}),
        progress_(status_, clock) {
    std::filesystem::create_directories(run);
  }

  Result<std::optional<std::string>> Fetch(std::uint32_t attempt = 1) {
    auto fetched = mirror.Fetch(attempt, progress_, {});
    EXPECT_TRUE(mirror.Open(std::nullopt));
    return fetched;
  }

  const Path folder;
  DownloadMirror mirror;

 private:
  StatusFile status_;
  FetchProgress progress_;
};

class DownloadMirrorTest : public ::testing::Test {
 protected:
  DownloadMirrorTest() { clock_.Jump(std::chrono::system_clock::now() - clock_.Now()); }

  std::unique_ptr<MirrorPod> On(const std::string& name, DownloadMirror::Limits limits = {}) {
    return std::make_unique<MirrorPod>(store_, clock_, tree_ / name, limits);
  }

  /// Downloads a model as huggingface_hub does.
  void Download(const std::string& pod, std::string_view model = kModel) const {
    const std::string folder = pod + "/downloads/" + std::string(model);
    (void)tree_.Write(folder + "refs/main", "c0ffee");
    (void)tree_.Write(folder + "blobs/weights", std::string(model) + "weights", 0640);
    (void)tree_.MakeFolder(folder + "snapshots/c0ffee");
    (void)tree_.MakeLink(folder + "snapshots/c0ffee/model.safetensors", "../../blobs/weights");
  }
  std::string ReadModel(const std::string& pod, std::string_view model = kModel) const {
    return tree_.Read(pod + "/downloads/" + std::string(model) +
                      "snapshots/c0ffee/model.safetensors");
  }
  /// Reads a file of a model now, which a mount with relative access times records once.
  void Use(const std::string& pod, std::string_view model) const {
    const Path file = tree_ / (pod + "/downloads/" + std::string(model) + "blobs/weights");
    const std::array<timespec, 2> times{
        {{.tv_sec = 2'000'000'000, .tv_nsec = 0}, {.tv_sec = 0, .tv_nsec = UTIME_OMIT}}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times.data(), 0), 0);
  }

  void StoreModel() {
    const auto pod = On("first");
    ASSERT_TRUE(pod->Fetch());
    Download("first");
    const Status finished = pod->mirror.Finish({});
    ASSERT_TRUE(finished) << finished.error().message;
  }

  std::vector<std::string> Stored() const {
    std::vector<std::string> names;
    for (const auto& [name, info] : store_.Objects()) names.push_back(name);
    return names;
  }
  std::string Manifest() const { return store_.Peek(kManifest).value_or(""); }
  std::vector<std::string> FilesIn(const Path& folder) const {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_directory()) files.push_back(entry.path().lexically_relative(folder));
    }
    return files;
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
};

TEST_F(DownloadMirrorTest, GivesLaterJobsTheFilesWithLinksAndModes) {
  StoreModel();
  const auto pod = On("second");
  const auto fetched = pod->Fetch();
  ASSERT_TRUE(fetched) << fetched.error().message;
  EXPECT_EQ(fetched->value_or(""), "47 B of downloads of earlier jobs");
  EXPECT_EQ(ReadModel("second"), std::string(kModel) + "weights");
  const Path model = pod->folder / kModel;
  EXPECT_EQ(std::filesystem::read_symlink(model / "snapshots/c0ffee/model.safetensors"),
            "../../blobs/weights");
  EXPECT_EQ(std::filesystem::status(model / "blobs/weights").permissions(),
            std::filesystem::perms(0640));
  EXPECT_EQ(tree_.Read("second/downloads/" + std::string(kModel) + "refs/main"), "c0ffee");
}

TEST_F(DownloadMirrorTest, HasNothingForTheFirstJob) {
  const auto pod = On("first");
  const auto fetched = pod->Fetch();
  ASSERT_TRUE(fetched);
  EXPECT_FALSE(*fetched);
  EXPECT_TRUE(std::filesystem::is_directory(pod->folder / "nltk_data"));
  ASSERT_TRUE(pod->mirror.Finish({}));
  EXPECT_THAT(Stored(), IsEmpty());
}

TEST_F(DownloadMirrorTest, NeverStoresCredentials) {
  const auto pod = On("first");
  ASSERT_TRUE(pod->Fetch());
  Download("first");
  for (const char* name :
       {"huggingface/token", "huggingface/stored_tokens", "kagglehub/kaggle.json",
        "kagglehub/credentials.json", "keras/keras.json", "kaggle.json", "git-credentials",
        "huggingface/datasets/org___set/default/dataset_info.json",
        "huggingface/hub/datasets--org--set/refs/main", "huggingface/hub/.locks/token",
        "kagglehub/datasets/org/set/1.json", "keras/datasets/set.npz", "nltk_data/corpus",
        "torch/hub/trusted_list"}) {
    (void)tree_.Write("first/downloads/" + std::string(name), "hf_secret");
  }
  (void)tree_.MakeLink("first/downloads/" + std::string(kModel) + "token", "../../token");
  ASSERT_TRUE(pod->mirror.Finish({}));
  for (const auto& name : Stored()) {
    EXPECT_THAT(*store_.Peek(name), Not(HasSubstr("hf_secret"))) << name;
  }
  EXPECT_THAT(Manifest(), Not(HasSubstr("token")));
  EXPECT_THAT(Manifest(), Not(HasSubstr("kaggle")));
  EXPECT_THAT(Stored(), Contains(kManifest));
}

TEST_F(DownloadMirrorTest, LeavesOutUnfinishedDownloads) {
  const auto pod = On("first");
  ASSERT_TRUE(pod->Fetch());
  Download("first");
  (void)tree_.Write("first/downloads/" + std::string(kModel) + "blobs/b.incomplete", "half");
  (void)tree_.Write("first/downloads/huggingface/hub/.locks/models--org--tiny/a.lock", "");
  (void)tree_.Write("first/downloads/" + std::string(kModel) + "blobs/lock", "locked packages");
  (void)tree_.MakeLink("first/downloads/" + std::string(kModel) + "snapshots/c0ffee/uv.lock",
                       "../../blobs/lock");
  ASSERT_TRUE(pod->mirror.Finish({}));
  EXPECT_THAT(Manifest(), Not(HasSubstr("incomplete")));
  EXPECT_THAT(Manifest(), Not(HasSubstr(".locks")));
  EXPECT_THAT(Manifest(), HasSubstr("blobs/weights"));
  EXPECT_THAT(Manifest(), HasSubstr("uv.lock"));
}

TEST_F(DownloadMirrorTest, StoresCompleteModelsOrNoneOfTheirFiles) {
  const auto pod = On("first");
  ASSERT_TRUE(pod->Fetch());
  for (const char* model : {"unfinished", "broken", "linked", "complete"}) {
    (void)tree_.Write(
        fmt::format("first/downloads/kagglehub/models/org/{}/keras/a/1/weights", model), "weights");
  }
  const std::string models = "first/downloads/kagglehub/models/org/";
  (void)tree_.Write(models + "unfinished/keras/a/2.archive", "half");
  (void)tree_.MakeLink(models + "broken/keras/a/1/config", "missing");
  (void)tree_.MakeLink(models + "linked/keras/a/1/config",
                       "../../../../complete/keras/a/1/weights");
  ASSERT_TRUE(pod->mirror.Finish({}));
  EXPECT_THAT(Manifest(), Not(HasSubstr("unfinished")));
  EXPECT_THAT(Manifest(), Not(HasSubstr("broken")));
  EXPECT_THAT(Manifest(), Not(HasSubstr("linked")));
  EXPECT_THAT(Manifest(), HasSubstr("complete/keras/a/1/weights"));
}

TEST_F(DownloadMirrorTest, KeepsTheMirrorIfFoldersCannotBeRead) {
  StoreModel();
  const std::string before = Manifest();
  const auto objects = Stored();
  const auto pod = On("second");
  ASSERT_TRUE(pod->Fetch());
  Download("second", "huggingface/hub/models--org--other/");
  (void)tree_.MakeFolder("second/downloads/keras");
  (void)tree_.MakeLink("second/downloads/keras/models", "../huggingface/hub");
  EXPECT_FALSE(pod->mirror.Finish({}));
  std::filesystem::rename(pod->folder / "huggingface", tree_ / "second/moved");
  std::filesystem::create_directory_symlink(tree_ / "second/moved", pod->folder / "huggingface");
  std::filesystem::remove(pod->folder / "keras/models");
  EXPECT_FALSE(pod->mirror.Finish({}));
  EXPECT_EQ(Manifest(), before);
  EXPECT_EQ(Stored(), objects);
}

TEST_F(DownloadMirrorTest, DoesNotSendFetchedFilesAgain) {
  StoreModel();
  const auto pod = On("second");
  ASSERT_TRUE(pod->Fetch());
  store_.SetHook([](std::string_view, std::string_view) -> Status {
    return Fail(ErrorCode::kInternal, "accessed");
  });
  EXPECT_TRUE(pod->mirror.Finish({}));
}

TEST_F(DownloadMirrorTest, ReplacesModelsThatAreNotUsedAnyMore) {
  StoreModel();
  {
    const auto pod = On("second");
    ASSERT_TRUE(pod->Fetch());
    Download("second", "huggingface/hub/models--org--other/");
    ASSERT_TRUE(pod->mirror.Finish({}));
    // Nothing shows whether the fetched model was read: access times may be off.
    EXPECT_THAT(Manifest(), HasSubstr("models--org--tiny"));
    EXPECT_THAT(Manifest(), HasSubstr("models--org--other"));
  }
  const auto pod = On("third");
  ASSERT_TRUE(pod->Fetch());
  Use("third", "huggingface/hub/models--org--other/");
  ASSERT_TRUE(pod->mirror.Finish({}));
  EXPECT_THAT(Manifest(), Not(HasSubstr("models--org--tiny")));
  EXPECT_THAT(Manifest(), HasSubstr("models--org--other/refs/main"));
  EXPECT_THAT(Stored(), testing::SizeIs(3));  // manifest, refs/main, weights
}

/// With the mount option relatime, which is the default, Linux records an access only in this case.
TEST_F(DownloadMirrorTest, FetchedFilesHaveNoLaterAccessThanChange) {
  StoreModel();
  const auto pod = On("second");
  ASSERT_TRUE(pod->Fetch());
  const Path file = pod->folder / kModel / "blobs/weights";
  struct stat status{};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  const std::pair changed(status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
  EXPECT_LE(std::pair(status.st_atim.tv_sec, status.st_atim.tv_nsec), changed);
  Use("second", kModel);
  EXPECT_EQ(AccessTime(PosixFileSystem(), file), 2'000'000'000'000'000'000);
}

TEST_F(DownloadMirrorTest, StoresTheMostRecentModelsUpToTheLimit) {
  const auto pod = On("first", {.stored = {.all_bytes = 60, .all_files = 100}});
  ASSERT_TRUE(pod->Fetch());
  Download("first");
  Download("first", "huggingface/hub/models--org--other/");
  Use("first", "huggingface/hub/models--org--other/");
  ASSERT_TRUE(pod->mirror.Finish({}));
  EXPECT_THAT(Manifest(), Not(HasSubstr("models--org--tiny")));
  EXPECT_THAT(Manifest(), HasSubstr("models--org--other"));
}

TEST_F(DownloadMirrorTest, FetchesAllFilesOrNone) {
  StoreModel();
  const std::string weights =
      record::DownloadName("downloads/key/", Sha256::Of(std::string(kModel) + "weights"));
  const std::string content = *store_.Peek(weights);
  store_.Drop(weights);
  const auto fetched = On("second")->Fetch();
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.error().message, HasSubstr("blobs/weights: its object is missing"));
  EXPECT_THAT(FilesIn(tree_ / "second/downloads"), IsEmpty());

  std::string damaged = content;
  damaged[0] ^= 1;
  ASSERT_TRUE(store::PutBytes(store_, weights, damaged, store::Precondition::Absent(), {}).value());
  const auto pod = On("third");
  const auto other = pod->Fetch();
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(FilesIn(tree_ / "third/downloads"), IsEmpty());
}

TEST_F(DownloadMirrorTest, RepairsDamagedMirror) {
  StoreModel();
  const std::string weights =
      record::DownloadName("downloads/key/", Sha256::Of(std::string(kModel) + "weights"));
  store_.Drop(weights);
  const auto pod = On("second");
  ASSERT_FALSE(pod->Fetch());
  Download("second");
  ASSERT_TRUE(pod->mirror.Finish({}));
  ASSERT_TRUE(On("third")->Fetch());
  EXPECT_EQ(ReadModel("third"), std::string(kModel) + "weights");
}

TEST_F(DownloadMirrorTest, RejectsHostileManifest) {
  const std::string digest = Sha256::Of("x").Hex();
  for (const std::string& files :
       {R"([["../escaped", 420, 1, "x", ")" + digest + R"("]])",
        R"([["a", 4095, 1, "x", ")" + digest + R"("]])",
        std::string(R"([["a", 420, 1, "x", "y"]])"), std::string(R"("no list")")}) {
    ASSERT_TRUE(store::Overwrite(store_, kManifest,
                                 R"({"version": 1, "files": )" + files + R"(, "links": {}})", {}));
    const auto fetched = On("pod")->Fetch();
    ASSERT_FALSE(fetched) << files;
    EXPECT_EQ(fetched.error().code, ErrorCode::kDataLoss);
  }
}

TEST_F(DownloadMirrorTest, RejectsPathsOutsideOfModelsAndRepeatedPaths) {
  const std::string rest = R"(, 420, 1, "x", ")" + Sha256::Of("x").Hex() + R"("])";
  const std::string model = R"(["huggingface/hub/models--a/b")" + rest;
  for (const auto& [files, links] : std::vector<std::pair<std::string, std::string>>{
           {R"(["huggingface/token")" + rest, "{}"},
           {R"(["huggingface/hub/models--a/../../token")" + rest, "{}"},
           {R"(["huggingface/hub/datasets--a/b")" + rest, "{}"},
           {R"(["keras/keras.json")" + rest, "{}"},
           {R"(["keras/models")" + rest, "{}"},
           {model + "," + model, "{}"},
           {model, R"({"huggingface/hub/models--a/b": "c"})"},
           {model, R"({"huggingface/token": "hub/models--a/b"})"},
           {model, R"({"huggingface/hub/models--a/c": "../../token"})"},
           {model, R"({"huggingface/hub/models--a/c": "../models--b/c"})"}}) {
    const std::string json =
        fmt::format(R"({{"version": 1, "files": [{}], "links": {}}})", files, links);
    ASSERT_TRUE(store::Overwrite(store_, kManifest, json, {}));
    std::vector<std::string> read;
    store_.SetHook([&](std::string_view, std::string_view name) -> Status {
      read.emplace_back(name);
      return {};
    });
    const auto fetched = On("pod")->Fetch();
    ASSERT_FALSE(fetched) << json;
    EXPECT_EQ(fetched.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(read, ElementsAre(kManifest)) << json;
    store_.SetHook({});
  }
}

TEST_F(DownloadMirrorTest, CreatesNoLinkThatLeavesTheFolder) {
  StoreModel();
  std::string manifest = Manifest();
  const std::string target = "../../blobs/weights";
  manifest.replace(manifest.find(target), target.size(), "../../../../../../status");
  ASSERT_TRUE(store::Overwrite(store_, kManifest, manifest, {}));
  (void)On("second")->Fetch();
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(
      tree_ / ("second/downloads/" + std::string(kModel) + "snapshots/c0ffee/model.safetensors"))));
}

TEST_F(DownloadMirrorTest, LeavesHalfOfTheDiskToTheProgram) {
  StoreModel();
  const auto fetched = On("second", {.stored = {}, .disk_bytes = 93})->Fetch();
  ASSERT_FALSE(fetched);
  EXPECT_THAT(fetched.error().message, HasSubstr("47 B, more than half of the disk of the pod"));
  EXPECT_TRUE(On("third", {.stored = {}, .disk_bytes = 94})->Fetch());
}

TEST_F(DownloadMirrorTest, LaterAttemptsDownloadAgainAndReplaceTheMirror) {
  StoreModel();
  const auto pod = On("second");
  const auto fetched = pod->Fetch(2);
  ASSERT_FALSE(fetched);
  EXPECT_EQ(fetched.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(FilesIn(pod->folder), IsEmpty());
  Download("second", "huggingface/hub/models--org--other/");
  ASSERT_TRUE(pod->mirror.Finish({}));
  EXPECT_THAT(Manifest(), HasSubstr("models--org--other"));
  EXPECT_THAT(Stored(), testing::SizeIs(3));  // manifest, refs/main, weights
}

TEST_F(DownloadMirrorTest, UsesReadOnlyStore) {
  StoreModel();
  store_.SetHook([](std::string_view operation, std::string_view) -> Status {
    if (operation == "get" || operation == "list" || operation == "now") return {};
    return Fail(ErrorCode::kPermissionDenied, "read-only");
  });
  clock_.Advance(std::chrono::hours(24 * 8));  // leases are due
  const auto pod = On("second");
  ASSERT_TRUE(pod->Fetch());
  EXPECT_EQ(ReadModel("second"), std::string(kModel) + "weights");
  Download("second", "huggingface/hub/models--org--other/");
  EXPECT_FALSE(pod->mirror.Finish({}));
}

TEST_F(DownloadMirrorTest, RenewsLeases) {
  StoreModel();
  clock_.Advance(std::chrono::hours(24 * 7));
  const WallTime now = clock_.Now();
  ASSERT_TRUE(On("second")->Fetch());
  for (const auto& [name, info] : store_.Objects()) EXPECT_GE(info.lease, now) << name;
}

TEST_F(DownloadMirrorTest, KeepsTheManifestOfAnotherJob) {
  const auto slow = On("slow");
  ASSERT_TRUE(slow->Fetch());
  Download("slow", "huggingface/hub/models--org--other/");
  StoreModel();
  const auto stored = Stored();
  ASSERT_TRUE(slow->mirror.Finish({}));
  EXPECT_EQ(Stored(), stored);  // nothing was uploaded in vain
  EXPECT_THAT(Manifest(), Not(HasSubstr("models--org--other")));
  ASSERT_TRUE(On("second")->Fetch());
  EXPECT_EQ(ReadModel("second"), std::string(kModel) + "weights");
}

TEST_F(DownloadMirrorTest, ResumesWithRunningProgram) {
  StoreModel();
  ASSERT_TRUE(On("second")->Fetch());
  Download("second", "huggingface/hub/models--org--other/");
  const auto restarted = On("second");
  ASSERT_TRUE(restarted->mirror.Resume({}));
  ASSERT_TRUE(restarted->mirror.Open(std::nullopt));
  ASSERT_TRUE(restarted->mirror.Finish({}));
  EXPECT_THAT(Manifest(), HasSubstr("models--org--tiny"));
  EXPECT_THAT(Manifest(), HasSubstr("models--org--other"));
}

TEST_F(DownloadMirrorTest, ContinuesInterruptedStoring) {
  const auto pod = On("first");
  ASSERT_TRUE(pod->Fetch());
  Download("first");
  store_.SetHook([](std::string_view operation, std::string_view name) -> Status {
    if (operation == "put" && name == kManifest) return Fail(ErrorCode::kUnavailable, "killed");
    return {};
  });
  EXPECT_FALSE(pod->mirror.Finish({}));
  EXPECT_THAT(Stored(), testing::SizeIs(2));
  std::vector<std::string> puts;
  store_.SetHook([&](std::string_view operation, std::string_view name) -> Status {
    if (operation == "put") puts.emplace_back(name);
    return {};
  });
  const auto next = On("second");
  ASSERT_TRUE(next->Fetch());
  Download("second");
  ASSERT_TRUE(next->mirror.Finish({}));
  EXPECT_THAT(puts, ElementsAre(kManifest));
}

}  // namespace
}  // namespace kinetic::runner
