// The contract of Store, tested with every implementation.

#include "store/folder_store.h"
#include "store/gcs_store.h"
#include "store/object_store.h"
#include "store/source.h"
#include "support/bucket_server.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace kinetic::store {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class BehaviourTest : public testing::TestWithParam<std::string> {
 protected:
  BehaviourTest() {
    if (GetParam() == "folder") {
      std::filesystem::create_directory(tree_ / "store");
      store_ = std::make_unique<FolderStore>(tree_ / "store", PosixFileSystem(), clock_);
    } else if (GetParam() == "bucket") {
      store_ = std::make_unique<GcsStore>(bucket_.Connect(), clock_,
                                          BucketLocation{"bucket", "some/folder/"},
                                          gcs::ClientOptions{.endpoint = bucket_.Url()});
    } else {
      store_ = std::make_unique<test::MemoryStore>(clock_);
    }
  }

  Store& store() { return *store_; }

  ObjectInfo Create(std::string_view name, std::string_view bytes, const Metadata& metadata = {}) {
    const auto info = PutBytes(store(), name, bytes, Precondition::Absent(), {}, metadata);
    EXPECT_TRUE(info) << info.error().message;
    EXPECT_TRUE(info && *info) << name << " already exists";
    return info && *info ? **info : ObjectInfo();
  }

  std::string Read(std::string_view name) {
    const auto bytes = GetBytes(store(), name, {});
    EXPECT_TRUE(bytes) << bytes.error().message;
    return bytes && *bytes ? **bytes : "absent";
  }

  std::string ReadRange(std::string_view name, Range range) {
    std::string bytes;
    const auto sink = [&](std::string_view piece) -> Status {
      bytes += piece;
      return {};
    };
    const auto info = store().Get(name, range, sink, {});
    EXPECT_TRUE(info && *info);
    return bytes;
  }

  std::vector<std::string> Names(std::string_view prefix, std::string_view start = {},
                                 std::size_t limit = 1000) {
    std::vector<std::string> names;
    const auto listed = store().List(prefix, start,
                                     [&](const ObjectInfo& info) -> Result<bool> {
                                       names.push_back(info.name);
                                       return names.size() < limit;
                                     },
                                     {});
    EXPECT_TRUE(listed) << listed.error().message;
    return names;
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  test::BucketServer bucket_{clock_};
  std::unique_ptr<Store> store_;
};

TEST_P(BehaviourTest, ReturnsWhatWasPut) {
  const ObjectInfo put = Create("packs/1", "content");
  EXPECT_EQ(put.name, "packs/1");
  EXPECT_EQ(put.size_bytes, 7U);
  EXPECT_LE(std::chrono::abs(put.lease - clock_.Now()), test::kDateResolution);
  EXPECT_EQ(Read("packs/1"), "content");
  const auto seen = store().Stat("packs/1", {});
  ASSERT_TRUE(seen && *seen);
  EXPECT_EQ((*seen)->generation, put.generation);
  EXPECT_EQ((*seen)->metageneration, put.metageneration);
  EXPECT_EQ((*seen)->size_bytes, 7U);
  EXPECT_EQ((*seen)->lease, put.lease);
}

TEST_P(BehaviourTest, AbsentObjectsAreNotAnError) {
  Create("a/b", "x");
  for (const char* name : {"nothing", "a", "a/c", "a/b/c", "x/y/z"}) {
    const auto seen = store().Stat(name, {});
    ASSERT_TRUE(seen) << name << ": " << seen.error().message;
    EXPECT_FALSE(*seen) << name;
    const auto bytes = GetBytes(store(), name, {});
    ASSERT_TRUE(bytes) << name << ": " << bytes.error().message;
    EXPECT_FALSE(*bytes) << name;
    const auto touched = store().Touch(name, {}, {});
    ASSERT_TRUE(touched) << name << ": " << touched.error().message;
    EXPECT_FALSE(*touched) << name;
  }
  ObjectInfo gone;
  gone.name = "nothing";
  const auto removed = store().RemoveIfUnchanged(gone, {});
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, Removal::kAbsent);
}

TEST_P(BehaviourTest, CreatesOnlyOnce) {
  Create("claim", "first");
  const auto second = PutBytes(store(), "claim", "second", Precondition::Absent(), {});
  ASSERT_TRUE(second);
  EXPECT_FALSE(*second);
  EXPECT_EQ(Read("claim"), "first");
}

TEST_P(BehaviourTest, ReplacesByGeneration) {
  const ObjectInfo first = Create("status", "one");
  const auto second =
      PutBytes(store(), "status", "two", Precondition::Generation(first.generation), {});
  ASSERT_TRUE(second && *second);
  EXPECT_NE((*second)->generation, first.generation);
  EXPECT_EQ(Read("status"), "two");
  const auto late =
      PutBytes(store(), "status", "three", Precondition::Generation(first.generation), {});
  ASSERT_TRUE(late);
  EXPECT_FALSE(*late);
  EXPECT_EQ(Read("status"), "two");
  const auto absent = PutBytes(store(), "other", "x", Precondition::Generation(1), {});
  ASSERT_TRUE(absent);
  EXPECT_FALSE(*absent);
  EXPECT_EQ(Read("other"), "absent");
}

TEST_P(BehaviourTest, NeverReusesAGeneration) {
  std::set<std::int64_t> seen;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(Overwrite(store(), "status", std::to_string(i), {}));
    const auto info = store().Stat("status", {});
    ASSERT_TRUE(info && *info);
    EXPECT_TRUE(seen.insert((*info)->generation).second) << i;
    EXPECT_GT((*info)->generation, 0);
  }
}

TEST_P(BehaviourTest, ReadsRanges) {
  Create("pack", "0123456789");
  EXPECT_EQ(ReadRange("pack", {}), "0123456789");
  EXPECT_EQ(ReadRange("pack", {3, 4}), "3456");
  EXPECT_EQ(ReadRange("pack", {8, 100}), "89");
  EXPECT_EQ(ReadRange("pack", {8, std::nullopt}), "89");
  EXPECT_EQ(ReadRange("pack", {10, 1}), "");
  EXPECT_EQ(ReadRange("pack", {1000, std::nullopt}), "");
  EXPECT_EQ(ReadRange("pack", {3, 0}), "");
  EXPECT_EQ(ReadRange("pack", {3, ~0ULL}), "3456789");
}

TEST_P(BehaviourTest, KeepsMetadataSeparateFromContent) {
  const Metadata metadata = {
      {"name", "größe \n x"}, {"empty", ""}, {"long", std::string(3000, 'v')}};
  const ObjectInfo put = Create("index/1", "body", metadata);
  EXPECT_EQ(put.metadata, metadata);
  EXPECT_EQ(put.size_bytes, 4U);
  EXPECT_EQ(Read("index/1"), "body");
  EXPECT_EQ(ReadRange("index/1", {2, 100}), "dy");
  Create("index/2", "", {{"k", "v"}});
  EXPECT_EQ(Read("index/2"), "");
  std::vector<Metadata> listed;
  ASSERT_TRUE(store().List("index/", "",
                           [&](const ObjectInfo& info) -> Result<bool> {
                             listed.push_back(info.metadata);
                             return true;
                           },
                           {}));
  EXPECT_THAT(listed, ElementsAre(metadata, Metadata{{"k", "v"}}));
  const auto touched = store().Touch("index/1", {}, {});
  ASSERT_TRUE(touched && *touched);
  EXPECT_EQ((*touched)->metadata, metadata);
}

TEST_P(BehaviourTest, KeepsContentThatLooksLikeATrailer) {
  for (const std::string& content :
       {std::string("KNTCMETA"), std::string("abc\0\0\0\0KNTCMETA", 15), std::string("KNTCMET")}) {
    ASSERT_TRUE(Overwrite(store(), "pack", content, {}));
    EXPECT_EQ(Read("pack"), content);
    const auto seen = store().Stat("pack", {});
    ASSERT_TRUE(seen && *seen);
    EXPECT_EQ((*seen)->size_bytes, content.size());
    EXPECT_THAT((*seen)->metadata, IsEmpty());
  }
}

TEST_P(BehaviourTest, RejectsInvalidMetadata) {
  for (const Metadata& metadata : {Metadata{{"k", std::string(4096, 'x')}}, Metadata{{"Key", "v"}},
                                   Metadata{{"", "v"}}, Metadata{{"k", "\xff"}}}) {
    const auto put = PutBytes(store(), "x", "", Precondition::Absent(), {}, metadata);
    ASSERT_FALSE(put);
    EXPECT_EQ(put.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(put.error().message, HasSubstr("metadata of x: "));
  }
  Create("full", "", {{"k", std::string(4095, 'x')}});
}

TEST_P(BehaviourTest, TouchChangesOnlyTheLease) {
  const ObjectInfo put = Create("tree", "t", {{"k", "v"}});
  clock_.Advance(hours(24));
  const auto touched = store().Touch("tree", {}, {});
  ASSERT_TRUE(touched && *touched);
  EXPECT_LE(std::chrono::abs((*touched)->lease - clock_.Now()), test::kDateResolution);
  EXPECT_EQ((*touched)->generation, put.generation);
  EXPECT_NE((*touched)->metageneration, put.metageneration);
  EXPECT_EQ(Read("tree"), "t");
  // The metageneration changes even at the same instant and after the clock was set back.
  std::int64_t before = (*touched)->metageneration;
  for (const hours jump : {hours(0), hours(0), hours(-48)}) {
    clock_.Jump(jump);
    const auto again = store().Touch("tree", {}, {});
    ASSERT_TRUE(again && *again);
    EXPECT_GT((*again)->metageneration, before);
    before = (*again)->metageneration;
  }
}

TEST_P(BehaviourTest, TouchNeverMakesALeaseEarlier) {
  const WallTime old = clock_.Now() - hours(100);
  BytesSource source("t");
  const auto put =
      store().Put("tree", source, Precondition::Absent(), {.metadata = {}, .lease = old}, {});
  ASSERT_TRUE(put && *put);
  EXPECT_EQ((*put)->lease, old);
  auto touched = store().Touch("tree", {.lease = old + hours(10), .generation = {}}, {});
  ASSERT_TRUE(touched && *touched);
  EXPECT_EQ((*touched)->lease, old + hours(10));
  touched = store().Touch("tree", {.lease = old, .generation = {}}, {});
  ASSERT_TRUE(touched && *touched);
  EXPECT_GE((*touched)->lease, old + hours(10));
  EXPECT_LT((*touched)->lease, old + hours(11));
  BytesSource again("u");
  const auto replaced = store().Put("tree", again, Precondition::Generation((*put)->generation),
                                    {.metadata = {}, .lease = old}, {});
  ASSERT_TRUE(replaced && *replaced);
  EXPECT_EQ((*replaced)->lease, old);
}

TEST_P(BehaviourTest, TouchesOnlyTheRequestedGeneration) {
  const ObjectInfo first = Create("tree", "one");
  ASSERT_TRUE(Overwrite(store(), "tree", "two", {}));
  const auto now = store().Stat("tree", {});
  ASSERT_TRUE(now && *now);
  const auto late = store().Touch("tree", {.lease = {}, .generation = first.generation}, {});
  ASSERT_TRUE(late);
  EXPECT_FALSE(*late);
  const auto touched = store().Touch("tree", {.lease = {}, .generation = (*now)->generation}, {});
  ASSERT_TRUE(touched && *touched);
  EXPECT_NE((*touched)->metageneration, (*now)->metageneration);
}

TEST_P(BehaviourTest, RemovesOnlyUnchangedObjects) {
  const ObjectInfo first = Create("packs/1", "one");
  const auto touched = store().Touch("packs/1", {}, {});
  ASSERT_TRUE(touched && *touched);
  auto removed = store().RemoveIfUnchanged(first, {});
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, Removal::kChanged);
  ASSERT_TRUE(Overwrite(store(), "packs/1", "two", {}));
  removed = store().RemoveIfUnchanged(**touched, {});
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, Removal::kChanged);
  const auto now = store().Stat("packs/1", {});
  ASSERT_TRUE(now && *now);
  removed = store().RemoveIfUnchanged(**now, {});
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, Removal::kRemoved);
  removed = store().RemoveIfUnchanged(**now, {});
  ASSERT_TRUE(removed);
  EXPECT_EQ(*removed, Removal::kAbsent);
  EXPECT_EQ(Read("packs/1"), "absent");
  Create("packs/1", "three");
}

TEST_P(BehaviourTest, RemovesSeveralObjects) {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 250U}) {
    std::vector<ObjectInfo> seen;
    std::vector<Removal> expected;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = "packs/" + std::to_string(count) + "-" + std::to_string(i);
      seen.push_back(i % 3 == 1 ? ObjectInfo{.name = name} : Create(name, "x"));
      if (i % 3 == 2) {
        const auto touched = store().Touch(name, {}, {});
        ASSERT_TRUE(touched && *touched);
      }
      constexpr Removal kExpected[] = {Removal::kRemoved, Removal::kAbsent, Removal::kChanged};
      expected.push_back(kExpected[i % 3]);
    }
    const auto removals = store().RemoveAll(seen, {});
    ASSERT_TRUE(removals) << removals.error().message;
    EXPECT_EQ(*removals, expected);
    EXPECT_EQ(Names("packs/" + std::to_string(count) + "-").size(), count / 3);
  }
}

TEST_P(BehaviourTest, ListsInBytewiseOrderOfFullNames) {
  // Sorting folder by folder would put "a/x" before "a-b" and "a.b".
  for (const char* name : {"a/x", "a-b", "a.b", "a0", "a/y/z", "a/y-", "b", "A", "ä", "a/y0"}) {
    Create(name, "");
  }
  EXPECT_THAT(Names(""),
              ElementsAre("A", "a-b", "a.b", "a/x", "a/y-", "a/y/z", "a/y0", "a0", "b", "ä"));
  EXPECT_THAT(Names("a"), ElementsAre("a-b", "a.b", "a/x", "a/y-", "a/y/z", "a/y0", "a0"));
  EXPECT_THAT(Names("a/"), ElementsAre("a/x", "a/y-", "a/y/z", "a/y0"));
  EXPECT_THAT(Names("a/y"), ElementsAre("a/y-", "a/y/z", "a/y0"));
  EXPECT_THAT(Names("a/y/"), ElementsAre("a/y/z"));
  EXPECT_THAT(Names("a/y/zz"), IsEmpty());
  EXPECT_THAT(Names("none/"), IsEmpty());
  EXPECT_THAT(Names("b/"), IsEmpty());
  EXPECT_THAT(Names("", "a/y-"), ElementsAre("a/y-", "a/y/z", "a/y0", "a0", "b", "ä"));
  EXPECT_THAT(Names("a/", "a/y/"), ElementsAre("a/y/z", "a/y0"));
  EXPECT_THAT(Names("a/", "a/y/zz"), ElementsAre("a/y0"));
  EXPECT_THAT(Names("a/", "a0"), IsEmpty());
  EXPECT_THAT(Names("a/", "A"), ElementsAre("a/x", "a/y-", "a/y/z", "a/y0"));
  EXPECT_THAT(Names("", "", 3), ElementsAre("A", "a-b", "a.b"));
}

TEST_P(BehaviourTest, ListReturnsTheErrorOfItsCallback) {
  Create("a", "");
  const auto listed = store().List(
      "", "", [](const ObjectInfo&) -> Result<bool> { return Fail(ErrorCode::kAborted, "enough"); },
      {});
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().message, "enough");
}

TEST_P(BehaviourTest, AllowsChangesDuringAListing) {
  for (const char* name : {"d/1", "d/2", "d/3"}) Create(name, "");
  std::vector<std::string> names;
  ASSERT_TRUE(store().List("d/", "",
                           [&](const ObjectInfo& info) -> Result<bool> {
                             names.push_back(info.name);
                             for (const char* name : {"d/1", "d/2"}) {
                               const auto seen = store().Stat(name, {});
                               if (seen && *seen) {
                                 EXPECT_TRUE(store().RemoveIfUnchanged(**seen, {}));
                               }
                             }
                             return true;
                           },
                           {}));
  EXPECT_THAT(names, testing::AnyOf(ElementsAre("d/1", "d/3"), ElementsAre("d/1", "d/2", "d/3")));
}

TEST_P(BehaviourTest, RejectsInvalidNames) {
  for (const std::string& name :
       {std::string(), std::string("/a"), std::string("a/"), std::string("a//b"),
        std::string("a/../b"), std::string(".."), std::string("./a"), std::string("a\nb"),
        std::string("a\x7f"), std::string("\xff"), std::string("a\0b", 3), std::string(1025, 'a'),
        std::string(".tmp/x"), std::string(".tmp"), std::string(".locks/00"),
        std::string("a/.damaged-1/b")}) {
    const auto put = PutBytes(store(), name, "", Precondition::Absent(), {});
    ASSERT_FALSE(put) << name;
    EXPECT_EQ(put.error().code, ErrorCode::kInvalidArgument) << name;
    EXPECT_THAT(put.error().message, HasSubstr("object name "));
    EXPECT_FALSE(store().Stat(name, {})) << name;
    EXPECT_FALSE(GetBytes(store(), name, {})) << name;
    EXPECT_FALSE(store().Touch(name, {}, {})) << name;
    ObjectInfo seen;
    seen.name = name;
    // A name that ends with '/' is that of a damaged folder.
    const auto removal = store().RemoveIfUnchanged(seen, {});
    EXPECT_TRUE(!removal || (name == "a/" && *removal == Removal::kAbsent)) << name;
  }
  Create("a/.tmp/b.locks/...", "odd and right");
  Create("jobs/ü 'x\"*?", "odd and right");
}

TEST_P(BehaviourTest, KeepsTheLaterOfAFileAndAFolder) {
  if (GetParam() == "bucket") return;  // has no folders
  Create("a", "");
  Create("b/c", "");
  for (const char* name : {"a/x", "a/x/y", "b"}) {
    Create(name, name);
    EXPECT_EQ(Read(name), name);
  }
  for (const char* name : {"a", "a/x", "b/c"}) {
    const auto bytes = GetBytes(store(), name, {});
    EXPECT_TRUE(bytes && !*bytes) << name;
  }
}

TEST_P(BehaviourTest, ObservesTheStopToken) {
  Create("a", "x");
  std::stop_source stopped;
  stopped.request_stop();
  const auto put = PutBytes(store(), "b", "", Precondition::Absent(), stopped.get_token());
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().code, ErrorCode::kCancelled);
  const auto got = GetBytes(store(), "a", stopped.get_token());
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(Read("b"), "absent");
}

TEST_P(BehaviourTest, GetBytesEnforcesItsLimit) {
  Create("big", std::string(1000, 'x'));
  EXPECT_TRUE(GetBytes(store(), "big", {}, 1000));
  const auto bytes = GetBytes(store(), "big", {}, 999);
  ASSERT_FALSE(bytes);
  EXPECT_EQ(bytes.error().code, ErrorCode::kDataLoss);
}

TEST_P(BehaviourTest, DetectsASourceOfAnotherSize) {
  class WrongSizeSource final : public Source {
   public:
    std::uint64_t size_bytes() const override { return 5; }
    Status Rewind() override { return {}; }
    Result<std::string_view> Next() override { return std::string_view(); }
  } source;
  EXPECT_FALSE(store().Put("x", source, Precondition::Absent(), {}, {}));
  EXPECT_EQ(Read("x"), "absent");
}

TEST_P(BehaviourTest, StoresFilesInPieces) {
  std::string content;
  for (int i = 0; i < 200'000; ++i) content += std::to_string(i);
  tree_.Write("file", content);
  auto source = FileSource::Open(PosixFileSystem(), tree_ / "file");
  ASSERT_TRUE(source);
  ASSERT_TRUE(store().Put("outputs/file", *source, Precondition::Absent(),
                          {.metadata = {{"k", "v"}}, .lease = {}}, {}));
  EXPECT_EQ(Read("outputs/file"), content);
  EXPECT_EQ(ReadRange("outputs/file", {300'000, 10}), content.substr(300'000, 10));
}

INSTANTIATE_TEST_SUITE_P(Stores, BehaviourTest, testing::Values("folder", "memory", "bucket"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace kinetic::store
