// Behaviour of folder stores only: the files on the disk.

#include "store/folder_store.h"

#include "store/folder/internal_files.h"
#include "store/folder/object_file.h"
#include "store/open.h"
#include "store/source.h"
#include "support/fake_clock.h"
#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cerrno>

namespace kinetic::store {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FolderStoreTest : public testing::Test {
 protected:
  void Put(std::string_view name, std::string_view bytes, const Metadata& metadata = {}) {
    const auto put = PutBytes(store_, name, bytes, Precondition::Absent(), {}, metadata);
    ASSERT_TRUE(put && *put) << name;
  }

  std::vector<std::string> FilesIn(std::string_view folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(tree_ / folder)) {
      names.push_back(entry.path().filename());
    }
    return names;
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  FolderStore store_{tree_.path(), PosixFileSystem(), clock_};
};

TEST_F(FolderStoreTest, StoresContentUnchanged) {
  Put("packs/1", "content");
  EXPECT_EQ(tree_.Read("packs/1"), "content");
  EXPECT_THAT(FilesIn(".tmp"), IsEmpty());
}

TEST_F(FolderStoreTest, StoresMetadataInADocumentedTrailer) {
  Put("index/1", "body", {{"b", "2"}, {"a", "xyz"}});
  EXPECT_EQ(tree_.Read("index/1"), "body" + std::string("\x01\0a\x03\0xyz\x01\0b\x01\0"
                                                        "2\x0e\0\0\0KNTCMETA",
                                                        26));
  tree_.Write("index/2", "body" + std::string("\x01\0k\x01\0v\x06\0\0\0KNTCMETA", 18));
  const auto seen = store_.Stat("index/2", {});
  ASSERT_TRUE(seen && *seen);
  EXPECT_EQ((*seen)->size_bytes, 4U);
  EXPECT_THAT((*seen)->metadata, ElementsAre(std::pair<std::string, std::string>("k", "v")));
}

TEST_F(FolderStoreTest, ReportsDamagedTrailers) {
  const std::vector<std::string> damaged = {
      std::string("\xff\xff\xff\xffKNTCMETA", 12), std::string("\x01\0\0\0KNTCMETA", 12),
      std::string("ab\x02\0\0\0KNTCMETA", 14), std::string("\x01\0k\x05\0v\x06\0\0\0KNTCMETA", 18)};
  for (const std::string& bytes : damaged) {
    tree_.Write("index/1", bytes);
    const auto seen = store_.Stat("index/1", {});
    ASSERT_TRUE(seen && *seen) << "it can be replaced and removed";
    EXPECT_TRUE((*seen)->metadata.empty());
    const auto read = GetBytes(store_, "index/1", {});
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(read.error().message, HasSubstr("index/1"));
    // A damaged object must not hide others.
    int listed = 0;
    ASSERT_TRUE(store_.List("index/", "",
                            [&](const ObjectInfo& info) -> Result<bool> {
                              EXPECT_EQ(info.size_bytes, bytes.size());
                              ++listed;
                              return true;
                            },
                            {}));
    EXPECT_EQ(listed, 1);
  }
}

TEST_F(FolderStoreTest, KeepsTheHolesOfSparseFiles) {
  constexpr std::uint64_t kBytes = 64ULL << 20;
  tree_.Write("sparse", "begin");
  std::filesystem::resize_file(tree_ / "sparse", kBytes);
  auto source = FileSource::Open(PosixFileSystem(), tree_ / "sparse");
  ASSERT_TRUE(source);
  ASSERT_TRUE(
      store_.Put("outputs/k/sparse", *source, Precondition::Absent(), {{{"k", "v"}}, {}}, {}));
  const auto bytes = GetBytes(store_, "outputs/k/sparse", {}, kBytes);
  ASSERT_TRUE(bytes && *bytes);
  std::string expected = "begin";
  expected.resize(kBytes);
  EXPECT_TRUE(**bytes == expected);
  struct stat status{};
  ASSERT_EQ(::stat((tree_ / "outputs/k/sparse").c_str(), &status), 0);
  EXPECT_LT(status.st_blocks * 512, 2 << 20);
}

TEST_F(FolderStoreTest, HonoursTheUmask) {
  const mode_t old = ::umask(002);
  Put("packs/1", "x");
  ::umask(old);
  const auto file = PosixFileSystem().Lstat(tree_ / "packs/1");
  const auto folder = PosixFileSystem().Lstat(tree_ / "packs");
  ASSERT_TRUE(file && folder);
  EXPECT_EQ(file->mode, 0644U);
  EXPECT_EQ(folder->mode & 0777U, 0775U);
  EXPECT_EQ(file->links, 1U);
}

TEST_F(FolderStoreTest, TouchReplacesAnotherUsersFile) {
  bool refused = false;
  bool held = false;
  test::FaultyFileSystem fs(
      [&](std::uint64_t, std::string_view operation, const Path& path) -> std::optional<int> {
        if (refused && operation == "writing") {
          for (const std::string& lock : FilesIn(".locks")) {
            held = held || *FileLock::IsHeld(PosixFileSystem(), tree_ / ".locks" / lock);
          }
        }
        if (operation != "setting the time of" || path != tree_ / "packs/1") return std::nullopt;
        refused = true;
        return EPERM;
      });
  FolderStore store(tree_.path(), fs, clock_);
  const auto put = PutBytes(store, "packs/1", "content", Precondition::Absent(), {}, {{"k", "v"}});
  ASSERT_TRUE(put && *put);
  clock_.Advance(hours(5));
  const auto touched = store.Touch("packs/1", {}, {});
  ASSERT_TRUE(touched && *touched) << touched.error().message;
  EXPECT_TRUE(refused);
  EXPECT_FALSE(held) << "while the content was copied";
  EXPECT_EQ((*touched)->lease, clock_.Now());
  EXPECT_NE((*touched)->generation, (*put)->generation);
  EXPECT_EQ((*touched)->metadata, (*put)->metadata);
  EXPECT_EQ((*touched)->size_bytes, 7U);
  const auto bytes = GetBytes(store, "packs/1", {});
  ASSERT_TRUE(bytes && *bytes);
  EXPECT_EQ(**bytes, "content");
  EXPECT_THAT(FilesIn(".tmp"), IsEmpty());
}

TEST_F(FolderStoreTest, NeverCreatesTheRoot) {
  for (const std::string_view removed_before : {"creating the folder", "opening", "creating"}) {
    const Path root = tree_ / "root";
    std::filesystem::create_directory(root);
    test::FaultyFileSystem fs([&](auto, std::string_view operation, auto) -> std::optional<int> {
      if (operation == removed_before) std::filesystem::remove_all(root);
      return std::nullopt;
    });
    FolderStore store(root, fs, clock_);
    for (const std::string_view name : {"packs/1", "format.json"}) {
      const auto put = PutBytes(store, name, "content", Precondition::Absent(), {});
      ASSERT_FALSE(put) << removed_before;
      EXPECT_EQ(put.error().code, ErrorCode::kNotFound) << removed_before;
    }
    EXPECT_FALSE(LockObject(fs, root, "packs/1", {})) << removed_before;
    EXPECT_FALSE(std::filesystem::exists(root)) << removed_before;
  }
}

TEST_F(FolderStoreTest, RemovesEmptyFolders) {
  Put("jobs/k-1/attempts/1/claim", "");
  Put("jobs/k-2/record.json", "");
  const auto seen = store_.Stat("jobs/k-1/attempts/1/claim", {});
  ASSERT_TRUE(seen && *seen);
  ASSERT_TRUE(store_.RemoveIfUnchanged(**seen, {}));
  EXPECT_THAT(FilesIn("jobs"), ElementsAre("k-2"));
}

TEST_F(FolderStoreTest, ListReportsForeignFilesAsDamaged) {
  Put("a/b", "");
  tree_.MakeLink("a/link", "/etc/passwd");
  tree_.MakeLink("loop", ".");
  tree_.Write("a/new\nline", "");
  tree_.MakeFolder("a/empty");
  ASSERT_EQ(::mkfifo((tree_ / "a/fifo").c_str(), 0600), 0);
  std::vector<std::string> names;
  ASSERT_TRUE(store_.List("", "",
                          [&](const ObjectInfo& info) -> Result<bool> {
                            names.push_back(info.name + ": " + info.damage);
                            return true;
                          },
                          {}));
  EXPECT_THAT(names, ElementsAre("a/b: ", "a/fifo: it is not a regular file",
                                 "a/link: it is a symbolic link", "loop: it is a symbolic link"));
}

TEST_F(FolderStoreTest, RemovesLeftoversAfterADay) {
  Put("a", "");
  tree_.Write(".tmp/old", "12345");
  tree_.Write(".tmp/young", "1");
  auto& fs = PosixFileSystem();
  ASSERT_TRUE(fs.SetModifiedTime(tree_ / ".tmp/old", clock_.Now() - hours(25)));
  ASSERT_TRUE(fs.SetModifiedTime(tree_ / ".tmp/young", clock_.Now() - hours(23)));
  const auto removed = store_.RemoveLeftovers({});
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, 5U);
  EXPECT_THAT(FilesIn(".tmp"), ElementsAre("young"));
}

TEST_F(FolderStoreTest, RemovesOldDiscardedFolders) {
  Put("a", "");
  tree_.Write("jobs/.damaged-old/file", "12345");
  tree_.Write("jobs/.damaged-young/file", "1");
  ASSERT_TRUE(
      PosixFileSystem().SetModifiedTime(tree_ / "jobs/.damaged-old", clock_.Now() - hours(25)));
  ASSERT_TRUE(
      PosixFileSystem().SetModifiedTime(tree_ / "jobs/.damaged-young", clock_.Now() - hours(23)));
  ASSERT_TRUE(store_.RemoveLeftovers({}));
  EXPECT_FALSE(std::filesystem::exists(tree_ / "jobs/.damaged-old"));
  EXPECT_TRUE(std::filesystem::exists(tree_ / "jobs/.damaged-young"));
}

TEST_F(FolderStoreTest, ReportsATruncatedFile) {
  Put("pack", std::string(600'000, 'x'));
  int pieces = 0;
  const auto got = store_.Get("pack", {},
                              [&](std::string_view) -> Status {
                                if (++pieces == 1)
                                  std::filesystem::resize_file(tree_ / "pack", 1000);
                                return {};
                              },
                              {});
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kDataLoss);
}

TEST_F(FolderStoreTest, ListsThousandsOfEntries) {
  std::filesystem::create_directories(tree_ / "index");
  const std::string trailer = MakeTrailer({{"name", "digits"}}, "");
  for (int i = 0; i < 3000; ++i) {
    tree_.Write("index/" + std::to_string(1'000'000 + i) + "-k", trailer);
  }
  int listed = 0;
  std::string last;
  ASSERT_TRUE(store_.List("index/", "",
                          [&](const ObjectInfo& info) -> Result<bool> {
                            EXPECT_LT(last, info.name);
                            EXPECT_EQ(info.metadata.at("name"), "digits");
                            last = info.name;
                            ++listed;
                            return true;
                          },
                          {}));
  EXPECT_EQ(listed, 3000);
}

class OpenTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Store>> OpenAt(std::string_view name) {
    return Open((tree_ / name).native(), {PosixFileSystem(), clock_}, {});
  }
  std::string MessageAt(std::string_view name, ErrorCode code) {
    const auto store = OpenAt(name);
    EXPECT_FALSE(store);
    if (store) return {};
    EXPECT_EQ(store.error().code, code);
    return store.error().message;
  }

  test::TempTree tree_;
  test::FakeClock clock_;
};

TEST_F(OpenTest, CreatesAndReopensAStore) {
  for (int i = 0; i < 2; ++i) {
    const auto store = OpenAt("a/b/store");
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ((*store)->Location(), (tree_ / "a/b/store").native());
  }
  EXPECT_EQ(tree_.Read("a/b/store/format.json"), "{\"format\": 1}\n");
  const auto slash = OpenAt("a/b/store/");
  ASSERT_TRUE(slash);
  EXPECT_EQ((*slash)->Location(), (tree_ / "a/b/store").native());
}

TEST_F(OpenTest, OpensAStoreThatIsBeingCreated) {
  tree_.MakeFolder("store/.tmp");
  tree_.MakeFolder("store/.locks");
  EXPECT_TRUE(OpenAt("store"));
}

TEST_F(OpenTest, RejectsANewerFormat) {
  tree_.Write("store/format.json", "{\"format\": 2, \"more\": true}");
  const std::string message = MessageAt("store", ErrorCode::kFailedPrecondition);
  EXPECT_THAT(message, HasSubstr("has format 2"));
  EXPECT_THAT(message, HasSubstr("supports only format 1"));
}

TEST_F(OpenTest, ReportsInvalidLocationWithoutCreatingStore) {
  const auto message_at = [&](std::string_view name) {
    const auto store = OpenLazy((tree_ / name).native(), {PosixFileSystem(), clock_}, {});
    return store ? std::string() : store.error().message;
  };
  tree_.Write("file", "");
  EXPECT_THAT(message_at("file"), HasSubstr("it is not a folder"));
  std::filesystem::create_symlink("/nowhere", tree_ / "link");
  EXPECT_THAT(message_at("link"), HasSubstr("it is a link to /nowhere, which does not exist"));
  EXPECT_EQ(message_at("absent"), "");
  EXPECT_FALSE(std::filesystem::exists(tree_ / "absent"));
}

TEST_F(OpenTest, HintRestoresLostFormat) {
  tree_.Write("store/jobs/a/record.json", "{}");
  const auto store = OpenAt("store");
  ASSERT_FALSE(store);
  EXPECT_THAT(store.error().hint, HasSubstr("{\"format\": 1}"));
}

TEST_F(OpenTest, RejectsOtherContents) {
  tree_.Write("home/letter.txt", "dear");
  EXPECT_THAT(MessageAt("home", ErrorCode::kInvalidArgument),
              HasSubstr("neither a store nor empty"));
  tree_.Write("file", "");
  EXPECT_THAT(MessageAt("file", ErrorCode::kAlreadyExists), HasSubstr("cannot open the store"));
  tree_.Write("broken/format.json", "{");
  EXPECT_THAT(MessageAt("broken", ErrorCode::kDataLoss), HasSubstr("format.json"));
  tree_.Write("odd/format.json", "{\"format\": \"one\"}");
  EXPECT_THAT(MessageAt("odd", ErrorCode::kDataLoss), HasSubstr("format: expected an integer"));
  const auto odd = Open((tree_ / "odd").native(), {PosixFileSystem(), clock_}, {});
  ASSERT_FALSE(odd);
  EXPECT_THAT(odd.error().hint, HasSubstr("{\"format\": 1}"));
  const auto relative = Open("store", {PosixFileSystem(), clock_}, {});
  ASSERT_FALSE(relative);
  EXPECT_EQ(relative.error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(Open("gs://bucket", {PosixFileSystem(), clock_}, {}));
}

}  // namespace
}  // namespace kinetic::store
