#include "store/bucket_location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::store {
namespace {

using testing::HasSubstr;

std::string Refusal(std::string_view location) {
  const auto parsed = ParseBucketLocation(location);
  if (parsed) return "accepted";
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(parsed.error().hint, HasSubstr("gs://BUCKET"));
  return parsed.error().message;
}

TEST(BucketLocationTest, TellsBucketAndFolderApart) {
  struct Row {
    const char* location;
    const char* bucket;
    const char* prefix;
  };
  for (const Row& row :
       {Row{"gs://abc", "abc", ""}, Row{"gs://abc/", "abc", ""},
        Row{"gs://my-team_1.example.org/kinetic", "my-team_1.example.org", "kinetic/"},
        Row{"gs://abc/a b/ü/", "abc", "a b/ü/"}}) {
    const auto parsed = ParseBucketLocation(row.location);
    ASSERT_TRUE(parsed) << row.location << ": " << parsed.error().message;
    EXPECT_EQ(parsed->bucket, row.bucket);
    EXPECT_EQ(parsed->prefix, row.prefix);
  }
}

TEST(BucketLocationTest, SaysWhyThereCanBeNoSuchBucket) {
  EXPECT_THAT(Refusal("gs://"), HasSubstr("names no bucket"));
  EXPECT_THAT(Refusal("gs:///a"), HasSubstr("names no bucket"));
  EXPECT_THAT(Refusal("gs://ab"), HasSubstr("3 to 63 characters"));
  EXPECT_THAT(Refusal("gs://" + std::string(64, 'a')), HasSubstr("3 to 63 characters"));
  EXPECT_THAT(Refusal("gs://Team"), HasSubstr("a-z, 0-9"));
  EXPECT_THAT(Refusal("gs://team?x=1"), HasSubstr("a-z, 0-9"));
  EXPECT_THAT(Refusal("gs://-team"), HasSubstr("begins and ends"));
  EXPECT_THAT(Refusal("s3://team"), HasSubstr("does not begin with gs://"));
}

TEST(BucketLocationTest, SaysWhyThereCanBeNoSuchFolder) {
  EXPECT_THAT(Refusal("gs://team/a//b"), HasSubstr("has an empty part"));
  EXPECT_THAT(Refusal("gs://team/../b"), HasSubstr("has the part .."));
  EXPECT_THAT(Refusal("gs://team/a\nb"), HasSubstr("control character"));
  EXPECT_THAT(Refusal("gs://team/" + std::string(513, 'a')), HasSubstr("longer than 512 bytes"));
}

}  // namespace
}  // namespace kinetic::store
