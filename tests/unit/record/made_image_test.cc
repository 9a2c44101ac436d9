#include "record/made_image.h"

#include "record/layout.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gtest/gtest.h>

#include <chrono>

namespace kinetic::record {
namespace {

const MadeImage kSample{"registry.example/team/environments:tpu-64ec09b4f5ed", Sha256::Of("key")};

TEST(MadeImage, IsReadAsItWasWritten) {
  const auto read = MadeImageFromJson(ToJson(kSample));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read, kSample);
  EXPECT_FALSE(MadeImageFromJson("{}"));
  EXPECT_FALSE(MadeImageFromJson("no document"));
}

TEST(MadeImage, IsNamedByTheImageAlone) {
  EXPECT_EQ(MadeImageName(kSample.image), "images/" + Sha256::Of(kSample.image).Hex());
}

TEST(MadeImage, ItsUseIsNotedWhereItWasMade) {
  test::FakeClock clock;
  test::MemoryStore store(clock);
  ASSERT_TRUE(TouchMadeImage(store, kSample.image, {}));
  EXPECT_FALSE(*store.Stat(MadeImageName(kSample.image), {})) << "somebody else made it";
  ASSERT_TRUE(WriteMadeImage(store, kSample, {}));
  const WallTime made = (*store.Stat(MadeImageName(kSample.image), {}))->lease;
  clock.Advance(std::chrono::hours(40));
  ASSERT_TRUE(TouchMadeImage(store, kSample.image, {}));
  EXPECT_EQ((*store.Stat(MadeImageName(kSample.image), {}))->lease - made, std::chrono::hours(40));
}

}  // namespace
}  // namespace kinetic::record
