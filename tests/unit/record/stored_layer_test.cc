#include "record/stored_layer.h"

#include "record/layout.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

class StoredLayerTest : public testing::Test {
 protected:
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  const Digest key_ = Sha256::Of("key");
  const StoredLayer layer_{Sha256::Of("blob"), 1000, Sha256::Of("tar"), 4000};
};

TEST_F(StoredLayerTest, ComesBackAsItWasWritten) {
  ASSERT_TRUE(WriteStoredLayer(store_, key_, layer_, {}));
  const auto read = ReadStoredLayer(store_, key_, {});
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(*read);
  EXPECT_EQ(**read, layer_);
}

TEST_F(StoredLayerTest, OneThatIsNotThereOrDamagedIsNotKnown) {
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
