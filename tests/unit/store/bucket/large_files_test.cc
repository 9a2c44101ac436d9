// Selection and upload of the files that are stored in a bucket in parts.

#include "store/bucket/large_files.h"

#include "gcs/client.h"
#include "store/gcs_store.h"
#include "store/source.h"
#include "support/bucket_server.h"
#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::store {
namespace {

using std::chrono::hours;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint64_t kPartBytes = 256U << 10;
constexpr std::uint64_t kMinBytes = 2 * kPartBytes;

class LargeFilesTest : public testing::Test {
 protected:
  gcs::ClientOptions Options() { return {.endpoint = bucket_.Url()}; }

  /// Another client of the same store.
  std::unique_ptr<GcsStore> Open() {
    return std::make_unique<GcsStore>(
        transport_, clock_, BucketLocation{"bucket", "team/"}, Options(),
        LargeFileOptions{.min_bytes = kMinBytes, .transfer = {kPartBytes, 3, {}}});
  }

  static std::string Content(std::size_t size) {
    std::string content;
    while (content.size() < size) content += std::to_string(content.size());
    content.resize(size);
    return content;
  }

  Result<std::optional<ObjectInfo>> Put(Store& store, std::string_view name,
                                        const std::string& content,
                                        Precondition precondition = Precondition::Absent()) {
    tree_.Write("file", content);
    auto source = FileSource::Open(PosixFileSystem(), tree_ / "file");
    EXPECT_TRUE(source);
    return store.Put(name, *source, precondition, {}, {});
  }

  void ExpectStored(Store& store, std::string_view name, const std::string& content) {
    const auto bytes = GetBytes(store, name, {});
    ASSERT_TRUE(bytes && *bytes);
    EXPECT_TRUE(**bytes == content);
    EXPECT_THAT(Parts(), IsEmpty());
  }

  std::vector<std::string> Parts() {
    std::vector<std::string> names;
    const auto each = [&](const gcs::Object& object) -> Result<bool> {
      names.push_back(object.name);
      return true;
    };
    EXPECT_TRUE(client_.List({.prefix = "team/.tmp/"}, each, nullptr, {}));
    return names;
  }

  /// Returns the number of requests whose target contains `word`.
  int Requests(std::string_view word) {
    int count = 0;
    for (const auto& seen : bucket_.server().log().All()) {
      count += static_cast<int>(seen.target.find(word) != std::string::npos);
    }
    return count;
  }

  /// Changes the settings of the bucket.
  void Change(const std::string& json) {
    http::Request request;
    request.method = "PATCH";
    request.url = bucket_.Url() + "/storage/v1/b/bucket";
    request.headers = {{"Content-Type", "application/json"}};
    request.body = std::make_shared<http::BytesBody>(json);
    std::string answer;
    const auto response = transport_->Stream(request,
                                             [&](std::string_view piece) -> Status {
                                               answer += piece;
                                               return {};
                                             },
                                             {});
    ASSERT_TRUE(response);
    ASSERT_EQ(response->status, 200) << answer;
  }

  test::TempTree tree_;
  test::FakeClock clock_;
  test::BucketServer bucket_{clock_};
  std::shared_ptr<http::Transport> transport_ = bucket_.Connect();
  const gcs::Client client_{*transport_, clock_, "bucket", Options()};
};

TEST_F(LargeFilesTest, UploadsInPartsAndRemovesThem) {
  const auto store = Open();
  const std::string content = Content(5 * kPartBytes + 7);
  const auto put = Put(*store, "outputs/k-1/big", content);
  ASSERT_TRUE(put && *put) << put.error().message;
  EXPECT_EQ((*put)->size_bytes, content.size());
  EXPECT_GT(Requests("/compose"), 0);
  ExpectStored(*store, "outputs/k-1/big", content);
  const auto again = Put(*store, "outputs/k-1/big", "x" + content);
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again) << "the object exists";
  const auto replaced =
      Put(*store, "outputs/k-1/big", "x" + content, Precondition::Generation((*put)->generation));
  ASSERT_TRUE(replaced && *replaced);
  ExpectStored(*store, "outputs/k-1/big", "x" + content);
  EXPECT_EQ(Requests("/b/bucket?"), 1) << "the settings of the bucket are read once";
}

TEST_F(LargeFilesTest, StoresSeveralFilesConcurrently) {
  const auto store = Open();
  const std::string content = Content(3 * kPartBytes);
  tree_.Write("file", content);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        auto source = FileSource::Open(PosixFileSystem(), tree_ / "file");
        ASSERT_TRUE(source);
        const auto put =
            store->Put("big" + std::to_string(i), *source, Precondition::Absent(), {}, {});
        EXPECT_TRUE(put && *put);
      });
    }
  }
  for (int i = 0; i < 4; ++i) ExpectStored(*store, "big" + std::to_string(i), content);
}

TEST_F(LargeFilesTest, StoresSmallContentInOneRequest) {
  const auto store = Open();
  ASSERT_TRUE(Put(*store, "small", Content(kMinBytes - 1)));
  ASSERT_TRUE(PutBytes(*store, "bytes", Content(kMinBytes), Precondition::Absent(), {}));
  EXPECT_EQ(Requests("/compose"), 0);
  EXPECT_EQ(Requests("/b/bucket?"), 0);
}

TEST_F(LargeFilesTest, DoesNotUsePartsIfTheBucketRetainsRemovedObjects) {
  const std::string content = Content(4 * kPartBytes);
  int number = 0;
  for (const auto& [begins, ends] : std::vector<std::pair<std::string, std::string>>{
           {R"({"softDeletePolicy":{"retentionDurationSeconds":"604800"}})",
            R"({"softDeletePolicy":{"retentionDurationSeconds":"0"}})"},
           {R"({"retentionPolicy":{"retentionPeriod":"60"}})", R"({"retentionPolicy":null})"},
           {R"({"defaultEventBasedHold":true})", R"({"defaultEventBasedHold":false})"},
           {R"({"storageClass":"NEARLINE"})", R"({"storageClass":"STANDARD"})"}}) {
    Change(begins);
    const auto store = Open();
    const std::string name = "big" + std::to_string(number++);
    ASSERT_TRUE(Put(*store, name, content));
    EXPECT_EQ(Requests("/compose"), 0) << begins;
    ExpectStored(*store, name, content);
    Change(ends);
  }
  ASSERT_TRUE(Put(*Open(), "big", content));
  EXPECT_GT(Requests("/compose"), 0) << "the default bucket allows parts";
}

TEST_F(LargeFilesTest, AVersionedBucketRetainsRemovedObjects) {
  gcs::Bucket bucket;
  EXPECT_TRUE(bucket.DeletesImmediately());
  bucket.versioning = true;
  EXPECT_FALSE(bucket.DeletesImmediately());
}

TEST_F(LargeFilesTest, DoesNotUsePartsIfTheBucketIsUnreadable) {
  bucket_.server().faults().Add({.path = "*/b/bucket?fields*", .times = 0, .status = 403});
  const auto store = Open();
  const std::string content = Content(4 * kPartBytes);
  for (const char* name : {"one", "two"}) {
    ASSERT_TRUE(Put(*store, name, content));
    ExpectStored(*store, name, content);
  }
  EXPECT_EQ(Requests("/compose"), 0);
  EXPECT_EQ(Requests("/b/bucket?"), 1);
}

TEST_F(LargeFilesTest, RemovesLeftoverPartsAfterADay) {
  const auto store = Open();
  const auto put_part = [&](const std::string& name) {
    const auto body = std::make_shared<http::BytesBody>("part");
    ASSERT_TRUE(client_.Insert("team/.tmp/parts/" + name, body, {.if_generation = 0}, {}));
  };
  put_part("dead/0-0");
  ASSERT_TRUE(PutBytes(*store, "packs/1", "x", Precondition::Absent(), {}));
  clock_.Advance(hours(23));
  EXPECT_EQ(*store->RemoveLeftovers({}), 0U);
  clock_.Advance(hours(2));
  put_part("alive/0-0");
  const auto removed = store->RemoveLeftovers({});
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_EQ(*removed, 4U);
  EXPECT_THAT(Parts(), ElementsAre("team/.tmp/parts/alive/0-0"));
  std::vector<std::string> names;
  ASSERT_TRUE(store->List("", "",
                          [&](const ObjectInfo& info) -> Result<bool> {
                            names.push_back(info.name);
                            return true;
                          },
                          {}));
  EXPECT_THAT(names, ElementsAre("packs/1")) << "parts are not objects of the store";
}

}  // namespace
}  // namespace kinetic::store
