#include "env/image/inspect.h"

#include "unit/env/image_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::env {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kName = "team.example/environments:tpu-1";

class LookAtImageTest : public ::testing::Test {
 protected:
  AskedImage Look(const std::string& name = kName, const std::string& architecture = "amd64") {
    const auto looked = LookAtImage(name, architecture, shelf_, {});
    EXPECT_TRUE(looked) << looked.error().message;
    EXPECT_EQ(looked->image.has_value(), looked->asked.answer == ImageAnswer::kPresent);
    return looked->asked;
  }

  ImageShelf shelf_;
};

TEST_F(LookAtImageTest, WhatIsThereHasDigestAndSize) {
  const std::string digest = shelf_.Put(kName, {});
  const AskedImage asked = Look();
  EXPECT_EQ(asked.answer, ImageAnswer::kPresent);
  EXPECT_EQ(asked.name, kName);
  EXPECT_EQ(asked.digest, digest);
  EXPECT_GT(asked.size_bytes, 0U);
  EXPECT_THAT(asked.reason, IsEmpty());
}

TEST_F(LookAtImageTest, ItCanBeAskedForByItsDigest) {
  const std::string digest = shelf_.Put(kName, {});
  EXPECT_EQ(Look("team.example/environments@" + digest).digest, digest);
}

TEST_F(LookAtImageTest, AbsenceIsNoRefusalAndNoSilence) {
  EXPECT_EQ(Look().answer, ImageAnswer::kAbsent);
  EXPECT_THAT(Look().reason, IsEmpty());
  for (const int status : {401, 403}) {
    shelf_.Refuse("team.example", status);
    EXPECT_EQ(Look().answer, ImageAnswer::kNotAllowed) << status;
    EXPECT_THAT(Look().reason, HasSubstr("team.example"));
  }
  shelf_.Refuse("team.example", 503);
  EXPECT_EQ(Look().answer, ImageAnswer::kCouldNotAsk);
}

TEST_F(LookAtImageTest, AnImageForOtherMachinesIsOfNoUse) {
  shelf_.Put(kName, {});
  const AskedImage asked = Look(kName, "arm64");
  EXPECT_EQ(asked.answer, ImageAnswer::kUnusable);
  EXPECT_THAT(asked.reason, HasSubstr("amd64"));
  EXPECT_THAT(asked.digest, IsEmpty());
}

TEST_F(LookAtImageTest, WhatIsNoNameIsAMistake) {
  const auto looked = LookAtImage("team.example/UPPER:1", "amd64", shelf_, {});
  ASSERT_FALSE(looked);
  EXPECT_EQ(looked.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace kinetic::env
