#include "store/bucket/location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::store {
namespace {

using testing::HasSubstr;

std::string ErrorOf(std::string_view location) {
  const auto parsed = ParseBucketLocation(location);
  if (parsed) return "accepted";
  EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(parsed.error().hint, HasSubstr("gs://BUCKET"));
  return parsed.error().message;
}

TEST(BucketLocationTest, ParsesBucketAndFolder) {
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

TEST(BucketLocationTest, ExplainsInvalidBucketNames) {
  EXPECT_THAT(ErrorOf("gs://"), HasSubstr("the bucket's name is missing"));
  EXPECT_THAT(ErrorOf("gs:///a"), HasSubstr("the bucket's name is missing"));
  EXPECT_THAT(ErrorOf("gs://ab"), HasSubstr("3 to 63 characters"));
  EXPECT_THAT(ErrorOf("gs://" + std::string(64, 'a')), HasSubstr("3 to 63 characters"));
  EXPECT_THAT(ErrorOf("gs://Team"), HasSubstr("a-z, 0-9"));
  EXPECT_THAT(ErrorOf("gs://team?x=1"), HasSubstr("a-z, 0-9"));
  EXPECT_THAT(ErrorOf("gs://-team"), HasSubstr("begin and end"));
  EXPECT_THAT(ErrorOf("s3://team"), HasSubstr("does not begin with gs://"));
}

TEST(BucketLocationTest, ExplainsInvalidFolderNames) {
  EXPECT_THAT(ErrorOf("gs://team/a//b"), HasSubstr("has an empty part"));
  EXPECT_THAT(ErrorOf("gs://team/../b"), HasSubstr("has a part .."));
  EXPECT_THAT(ErrorOf("gs://team/a\nb"), HasSubstr("control character"));
  EXPECT_THAT(ErrorOf("gs://team/" + std::string(513, 'a')), HasSubstr("longer than 512 bytes"));
}

}  // namespace
}  // namespace kinetic::store
