#include "env/image/registry_images.h"

#include "unit/env/fake_registries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::env {
namespace {

class FindImageTest : public ::testing::Test {
 protected:
  FindImageTest() {
    lock_.python = "3.12";
    lock_.platform = "linux-x86_64";
    lock_.packages = {{"foo", "1.0", "", {"sha256:" + std::string(64, 'a')}}};
  }

  std::string Reference() const { return naming_.repository + ":" + ImageTag(lock_, naming_); }

  FakeImageRegistries registries_;
  Lock lock_;
  ImageNaming naming_{.prefix = "/opt/kinetic/environment",
                      .base = "base.example/python:3.12",
                      .repository = "team.example/environments",
                      .category = "tpu"};
};

TEST_F(FindImageTest, FindsTheImageOfALockByTagAndKey) {
  const auto absent = FindImage(lock_, naming_, registries_, {});
  ASSERT_TRUE(absent) << absent.error().message;
  EXPECT_FALSE(*absent);
  const std::string digest =
      registries_.Put(Reference(), ImageLabels(lock_, naming_, "sha256:base"));
  const auto found = FindImage(lock_, naming_, registries_, {});
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->image, Reference() + "@" + digest);
  EXPECT_EQ((*found)->root, naming_.prefix);
  EXPECT_FALSE((*found)->built);
}

TEST_F(FindImageTest, IgnoresAnotherImageUnderTheTag) {
  registries_.Put(Reference(), {{"dev.kinetic.environment", "another"}});
  const auto found = FindImage(lock_, naming_, registries_, {});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_FALSE(*found);
}

TEST_F(FindImageTest, BaseIsDigestInLock) {
  const std::string first = registries_.Put(naming_.base, {{"build", "1"}});
  const std::string second = registries_.Put(naming_.base, {{"build", "2"}});
  ASSERT_NE(first, second);
  auto base = FindBaseImage(lock_, naming_, registries_, {});
  ASSERT_TRUE(base) << base.error().message;
  EXPECT_EQ(oci::DigestString(base->image.digest), second);
  lock_.base_image = first;
  base = FindBaseImage(lock_, naming_, registries_, {});
  ASSERT_TRUE(base) << base.error().message;
  EXPECT_EQ(oci::DigestString(base->image.digest), first);
}

TEST_F(FindImageTest, FailsForMissingBase) {
  const auto base = FindBaseImage(lock_, naming_, registries_, {});
  ASSERT_FALSE(base);
  EXPECT_EQ(base.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace kinetic::env
