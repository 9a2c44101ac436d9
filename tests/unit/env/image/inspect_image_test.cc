#include "env/image/registry_images.h"
#include "unit/env/fake_registries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::env {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kName = "team.example/environments:tpu-1";

class InspectImageTest : public ::testing::Test {
 protected:
  ImageLookup Inspect(const std::string& name = kName, const std::string& architecture = "amd64") {
    const auto looked = InspectImage(name, architecture, registries_, {});
    EXPECT_TRUE(looked) << looked.error().message;
    EXPECT_EQ(looked->image.has_value(), looked->lookup.answer == ImageAnswer::kPresent);
    return looked->lookup;
  }

  FakeImageRegistries registries_;
};

TEST_F(InspectImageTest, ReturnsDigestAndSize) {
  const std::string digest = registries_.Put(kName, {});
  const ImageLookup lookup = Inspect();
  EXPECT_EQ(lookup.answer, ImageAnswer::kPresent);
  EXPECT_EQ(lookup.name, kName);
  EXPECT_EQ(lookup.digest, digest);
  EXPECT_GT(lookup.size_bytes, 0U);
  EXPECT_THAT(lookup.reason, IsEmpty());
}

TEST_F(InspectImageTest, AcceptsDigest) {
  const std::string digest = registries_.Put(kName, {});
  EXPECT_EQ(Inspect("team.example/environments@" + digest).digest, digest);
}

TEST_F(InspectImageTest, DistinguishesAbsentForbiddenAndUnavailable) {
  EXPECT_EQ(Inspect().answer, ImageAnswer::kAbsent);
  EXPECT_THAT(Inspect().reason, IsEmpty());
  for (const int status : {401, 403}) {
    registries_.Refuse("team.example", status);
    EXPECT_EQ(Inspect().answer, ImageAnswer::kNotAllowed) << status;
    EXPECT_THAT(Inspect().reason, HasSubstr("team.example"));
  }
  registries_.Refuse("team.example", 503);
  EXPECT_EQ(Inspect().answer, ImageAnswer::kUnreachable);
}

TEST_F(InspectImageTest, ReportsOtherArchitectureAsUnusable) {
  registries_.Put(kName, {});
  const ImageLookup lookup = Inspect(kName, "arm64");
  EXPECT_EQ(lookup.answer, ImageAnswer::kUnusable);
  EXPECT_THAT(lookup.reason, HasSubstr("amd64"));
  EXPECT_THAT(lookup.digest, IsEmpty());
}

TEST_F(InspectImageTest, RejectsInvalidNames) {
  const auto looked = InspectImage("team.example/UPPER:1", "amd64", registries_, {});
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kinetic::env
