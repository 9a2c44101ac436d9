// Puts every kind of thing at the name of an object and in place of a folder, and checks that each
// operation ends, hides nothing else, and touches nothing outside the store.

#include "store/damage.h"
#include "store/folder_store.h"
#include "store/source.h"
#include "support/fake_clock.h"
#include "support/faulty_file_system.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <tuple>

namespace kinetic::store {
namespace {

constexpr std::string_view kKinds[] = {"link",   "dangling link", "pipe",   "socket",
                                       "device", "folder",        "denied", "trailer"};

class DamagedObjectTest : public testing::TestWithParam<std::string_view> {
 protected:
  DamagedObjectTest() {
    outside_.Write("precious/file", "precious");
    EXPECT_TRUE(PutBytes(store_, "packs/other", "other", Precondition::Absent(), {}));
    EXPECT_TRUE(store_.Touch("packs/other", {}, {}));  // creates the locks
  }

  bool Is(std::string_view kind) const { return GetParam() == kind; }

  /// Replaces what is at `name`.
  void Plant(const std::string& name) {
    const Path path = tree_ / name;
    std::filesystem::remove_all(path);
    std::filesystem::create_directories(path.parent_path());
    if (Is("link")) std::filesystem::create_symlink(outside_ / "precious", path);
    if (Is("dangling link")) std::filesystem::create_symlink("/nowhere", path);
    if (Is("pipe")) std::ignore = ::mkfifo(path.c_str(), 0600);
    if (Is("socket")) PlantSocket(path);
    // Only root can create devices.
    if (Is("device") && ::mknod(path.c_str(), S_IFCHR | 0600, makedev(1, 5)) != 0)
      std::ignore = ::mkfifo(path.c_str(), 0600);
    if (Is("folder")) tree_.Write(name + "/below/file", "x");
    if (Is("denied")) tree_.Write(denied_ = name, "x");
    if (Is("trailer")) tree_.Write(name, std::string("x\xff\xff\xff\x7fKNTCMETA"));
  }

  static void PlantSocket(const Path& path) {
    const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    ASSERT_LT(path.native().size(), sizeof address.sun_path);
    path.native().copy(address.sun_path, path.native().size());
    ASSERT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  /// The damage of each listed object.
  std::map<std::string, std::string> Listed(std::string_view prefix) {
    std::map<std::string, std::string> listed;
    const Status done = store_.List(prefix, "",
                                    [&](const ObjectInfo& info) -> Result<bool> {
                                      listed.emplace(info.name, info.damage);
                                      return true;
                                    },
                                    {});
    EXPECT_TRUE(done) << done.error().message;
    return listed;
  }

  void ExpectStored(const std::string& name, std::string_view content) {
    const auto bytes = GetBytes(store_, name, {});
    ASSERT_TRUE(bytes) << bytes.error().message;
    EXPECT_EQ(*bytes, content);
    EXPECT_EQ(Listed(name).at(name), "");
  }

  void TearDown() override { EXPECT_EQ(outside_.Read("precious/file"), "precious"); }

  test::TempTree outside_;
  test::TempTree tree_;
  std::string denied_;  ///< as a file of another user
  test::FaultyFileSystem fs_{
      [this](std::uint64_t, std::string_view operation, const Path& path) -> std::optional<int> {
        const bool denies = !denied_.empty() && operation == "opening" && path == tree_ / denied_;
        return denies ? std::optional(EACCES) : std::nullopt;
      },
      test::FaultyFileSystem::Reach::kReadsToo};
  test::FakeClock clock_;
  FolderStore store_{tree_.path(), fs_, clock_};
};

TEST_P(DamagedObjectTest, IsListedAndUnreadable) {
  Plant("packs/p");
  const auto listed = Listed("packs/");
  EXPECT_EQ(listed.at("packs/other"), "");
  const auto read = GetBytes(store_, "packs/p", {});
  const auto seen = store_.Stat("packs/p", {});
  const auto touched = store_.Touch("packs/p", {}, {});
  ASSERT_TRUE(seen);
  if (Is("folder")) {  // no object has the name
    EXPECT_TRUE(read && !*read);
    EXPECT_FALSE(*seen);
    return;
  }
  EXPECT_NE(listed.at("packs/p"), "");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss) << read.error().message;
  ASSERT_TRUE(*seen);
  EXPECT_EQ((*seen)->damage, listed.at("packs/p"));
  EXPECT_TRUE(Is("trailer") || (touched && !*touched));
}

TEST_P(DamagedObjectTest, IsReplacedByTheNextWriter) {
  for (const bool overwrites : {false, true}) {
    Plant("packs/p");
    if (overwrites) {
      const Status done = Overwrite(store_, "packs/p", "new", {});
      ASSERT_TRUE(done) << done.error().message;
    } else {
      const auto put = PutBytes(store_, "packs/p", "new", Precondition::Absent(), {});
      ASSERT_TRUE(put) << put.error().message;
      ASSERT_TRUE(*put);
    }
    denied_.clear();
    ExpectStored("packs/p", "new");
  }
}

TEST_P(DamagedObjectTest, IsRemoved) {
  Plant("packs/p");
  const auto listed = ListAll(store_, "packs/p", {});
  ASSERT_TRUE(listed);
  for (const auto& info : *listed) {
    const auto removal = store_.RemoveIfUnchanged(info, {});
    ASSERT_TRUE(removal) << removal.error().message;
    EXPECT_EQ(*removal, Removal::kRemoved);
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(tree_ / "packs/p")));
}

TEST_P(DamagedObjectTest, InPlaceOfAFolderIsReplaced) {
  if (Is("folder") || Is("denied")) return;
  for (const std::string place : {"packs", "jobs/a", ".tmp", ".locks"}) {
    SCOPED_TRACE(place);
    Plant(place);
    (void)Listed("");
    (void)Listed("packs/");
    (void)Listed("jobs/a/");
    EXPECT_TRUE(store_.RemoveLeftovers({}));
    for (const std::string name : {"packs/new", "jobs/a/new"}) {
      const Status done = Overwrite(store_, name, "new", {});
      ASSERT_TRUE(done) << done.error().message;
      const auto touched = store_.Touch(name, {}, {});
      ASSERT_TRUE(touched && *touched);
      ExpectStored(name, "new");
    }
  }
}

TEST_P(DamagedObjectTest, InPlaceOfAFolderIsListedAndRemoved) {
  if (Is("folder") || Is("denied") || Is("trailer")) return;
  Plant("jobs/a");
  for (const auto& [prefix, name] : {std::pair("jobs/a/", "jobs/a/"), std::pair("jobs/", "jobs/a")})
    EXPECT_NE(Listed(prefix).at(name), "");
  ASSERT_TRUE(RemoveAllBelow(store_, "jobs/a/", {}));
  EXPECT_TRUE(Listed("jobs/").empty());
}

TEST_P(DamagedObjectTest, AtTheNameOfALockIsReplaced) {
  for (int shard = 0; shard < 64; ++shard) {
    Plant(".locks/" + std::string(1, static_cast<char>('0' + shard / 10)) +
          static_cast<char>('0' + shard % 10));
  }
  const auto touched = store_.Touch("packs/other", {}, {});
  ASSERT_TRUE(touched) << touched.error().message;
  EXPECT_TRUE(*touched);
}

TEST(PrivateLock, IsKept) {
  test::TempTree tree;
  bool denies = false;
  test::FaultyFileSystem fs(
      [&](std::uint64_t, std::string_view operation, const Path& path) -> std::optional<int> {
        const bool is_lock = path.parent_path().filename() == ".locks";
        return denies && is_lock && operation == "opening" ? std::optional(EACCES) : std::nullopt;
      },
      test::FaultyFileSystem::Reach::kReadsToo);
  test::FakeClock clock;
  FolderStore store(tree.path(), fs, clock);
  ASSERT_TRUE(PutBytes(store, "packs/p", "x", Precondition::Absent(), {}));
  ASSERT_TRUE(store.Touch("packs/p", {}, {}));  // creates the lock
  const auto inode = [&] {
    const auto lock = std::filesystem::directory_iterator(tree / ".locks")->path();
    return PosixFileSystem().Lstat(lock)->inode;
  };
  const auto before = inode();
  denies = true;
  const auto touched = store.Touch("packs/p", {}, {});
  ASSERT_FALSE(touched);
  EXPECT_EQ(touched.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(inode(), before) << "its owner may hold it";
}

INSTANTIATE_TEST_SUITE_P(Kinds, DamagedObjectTest, testing::ValuesIn(kKinds), [](const auto& kind) {
  std::string name(kind.param);
  std::ranges::replace(name, ' ', '_');
  return name;
});

/// A folder of another user that this one may neither list nor search.
class DeniedFolderTest : public testing::Test {
 protected:
  std::map<std::string, std::string> Listed(std::string_view prefix) {
    std::map<std::string, std::string> listed;
    const auto found = ListAll(store_, prefix, {});
    EXPECT_TRUE(found) << found.error().message;
    for (const auto& info : *found) listed.emplace(info.name, info.damage);
    return listed;
  }

  test::TempTree tree_;
  std::string denied_;
  test::FaultyFileSystem fs_{
      [this](std::uint64_t, std::string_view operation, const Path& path) -> std::optional<int> {
        const std::string name = path.lexically_relative(tree_.path()).native();
        const bool denies = !denied_.empty() && (name.starts_with(denied_ + "/") ||
                                                 (name == denied_ && operation == "listing"));
        return denies ? std::optional(EACCES) : std::nullopt;
      },
      test::FaultyFileSystem::Reach::kReadsToo};
  test::FakeClock clock_;
  FolderStore store_{tree_.path(), fs_, clock_};
};

TEST_F(DeniedFolderTest, IsADamagedObject) {
  ASSERT_TRUE(PutBytes(store_, "jobs/a/record.json", "x", Precondition::Absent(), {}));
  ASSERT_TRUE(PutBytes(store_, "jobs/b/record.json", "x", Precondition::Absent(), {}));
  denied_ = "jobs/a";
  EXPECT_THAT(
      Listed("jobs/"),
      testing::ElementsAre(testing::Pair("jobs/a/", testing::StartsWith("permission denied (")),
                           testing::Pair("jobs/b/record.json", "")));
  const auto read = GetBytes(store_, "jobs/a/record.json", {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
  const auto seen = store_.Stat("jobs/a/record.json", {});
  EXPECT_THAT(
      read.error().message,
      testing::HasSubstr("jobs/a/record.json cannot be read: permission denied (owner: user "));
  EXPECT_TRUE(seen && *seen && IsDenied(**seen));
  ASSERT_TRUE(RemoveAllBelow(store_, "jobs/a/", {}));
  EXPECT_TRUE(Listed("jobs/a/").empty());
  EXPECT_FALSE(std::filesystem::exists(tree_ / "jobs/a"));
}

TEST_F(DeniedFolderTest, OfAllObjectsOfAKindIsKept) {
  ASSERT_TRUE(PutBytes(store_, "jobs/a/record.json", "x", Precondition::Absent(), {}));
  denied_ = "jobs";
  const auto listed = ListAll(store_, "", {});
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().name, "jobs/");
  const auto removal = store_.RemoveIfUnchanged(listed->front(), {});
  ASSERT_FALSE(removal);
  EXPECT_EQ(removal.error().code, ErrorCode::kPermissionDenied);
  const auto read = GetBytes(store_, "jobs/a/record.json", {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kPermissionDenied) << "not the fault of one object";
  EXPECT_EQ(tree_.Read("jobs/a/record.json"), "x");
}

}  // namespace
}  // namespace kinetic::store
