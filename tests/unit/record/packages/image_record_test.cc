#include "record/object_names.h"
#include "record/packages/objects.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kinetic::record {
namespace {

const ImageRecord kSample{"registry.example/team/environments:tpu-64ec09b4f5ed", Sha256::Of("key")};

TEST(ImageRecordTest, RoundTrips) {
  const auto read = ImageRecordFromJson(ToJson(kSample));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, kSample);
  EXPECT_FALSE(ImageRecordFromJson("{}"));
  EXPECT_FALSE(ImageRecordFromJson("no document"));
}

TEST(ImageRecordTest, IsNamedAfterTheImage) {
  EXPECT_EQ(ImageRecordName(kSample.image), "images/" + Sha256::Of(kSample.image).Hex());
}

TEST(ImageRecordTest, TouchRenewsAnExistingRecord) {
  test::FakeClock clock;
  test::MemoryStore store(clock);
  ASSERT_TRUE(TouchImageRecord(store, kSample.image, {}));
  EXPECT_FALSE(*store.Stat(ImageRecordName(kSample.image), {})) << "touching creates no record";
  ASSERT_TRUE(WriteImageRecord(store, kSample, {}));
  const WallTime created = (*store.Stat(ImageRecordName(kSample.image), {}))->lease;
  clock.Advance(std::chrono::hours(40));
  ASSERT_TRUE(TouchImageRecord(store, kSample.image, {}));
  EXPECT_EQ((*store.Stat(ImageRecordName(kSample.image), {}))->lease - created,
            std::chrono::hours(40));
}

class StoredLayerTest : public testing::Test {
 protected:
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  const Digest key_ = Sha256::Of("key");
  const StoredLayer layer_{Sha256::Of("blob"), 1000, Sha256::Of("tar"), 4000};
};

TEST_F(StoredLayerTest, RoundTrips) {
  ASSERT_TRUE(WriteStoredLayer(store_, key_, layer_, {}));
  const auto read = ReadStoredLayer(store_, key_, {});
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(*read);
  EXPECT_EQ(**read, layer_);
}

TEST_F(StoredLayerTest, TreatsDamageAsAbsence) {
  const auto absent = ReadStoredLayer(store_, key_, {});
  ASSERT_TRUE(absent);
  EXPECT_FALSE(*absent);
  ASSERT_TRUE(store::Overwrite(store_, LayerName(key_), "{\"version\": 9}", {}));
  const auto damaged = ReadStoredLayer(store_, key_, {});
  ASSERT_TRUE(damaged);
  EXPECT_FALSE(*damaged);
}

}  // namespace
}  // namespace kinetic::record
