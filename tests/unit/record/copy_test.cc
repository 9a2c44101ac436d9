#include "record/copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const JobKey kJob{"k-1", "00aa"};

TEST(CopyTest, RequestIsReadAsWritten) {
  const auto read = CopyRequestFromJson(ToJson(
      CopyRequest{.job = kJob, .is_upload = true, .path = "a/b", .name = "b", .is_folder = true}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->job.id, "k-1");
  EXPECT_EQ(read->job.nonce, "00aa");
  EXPECT_TRUE(read->is_upload);
  EXPECT_EQ(read->path, "a/b");
  EXPECT_EQ(read->name, "b");
  EXPECT_TRUE(read->is_folder);
}

TEST(CopyTest, ProgressIsReadAsWritten) {
  const auto read = CopyProgressFromJson(
      ToJson(CopyProgress{.job = kJob, .done_bytes = 3, .total_bytes = 5'000'000'000}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->done_bytes, 3U);
  EXPECT_EQ(read->total_bytes, 5'000'000'000U);
}

TEST(CopyTest, AnswerIsReadAsWritten) {
  const auto read = CopyAnswerFromJson(ToJson(CopyAnswer{.job = kJob,
                                                         .is_folder = true,
                                                         .path = "/work/a",
                                                         .files = 2,
                                                         .bytes = 10,
                                                         .skipped = {"a: no file"}}));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->error);
  EXPECT_TRUE(read->is_folder);
  EXPECT_EQ(read->path, "/work/a");
  EXPECT_EQ(read->files, 2U);
  EXPECT_EQ(read->bytes, 10U);
  EXPECT_THAT(read->skipped, ElementsAre("a: no file"));
}

TEST(CopyTest, ErrorKeepsItsCode) {
  const Error error{ErrorCode::kNotFound, "a does not exist", "did you mean 'b'?", {}};
  const auto read = CopyAnswerFromJson(ToJson(CopyAnswer{.job = kJob, .error = error}));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->error);
  EXPECT_EQ(read->error->code, ErrorCode::kNotFound);
  EXPECT_EQ(read->error->message, "a does not exist");
  EXPECT_EQ(read->error->hint, "did you mean 'b'?");
}

TEST(CopyTest, DamagedDocumentsAreRejected) {
  std::string json = ToJson(CopyRequest{.job = kJob, .path = "a"});
  json.replace(json.find("\"a\""), 3, "\"b\"");
  EXPECT_EQ(CopyRequestFromJson(json).error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(CopyAnswerFromJson("{\"version\": 1}").error().code, ErrorCode::kDataLoss);
  const auto newer = CopyAnswerFromJson("{\"version\": 2}");
  EXPECT_EQ(newer.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(newer.error().message, HasSubstr("copy answer"));
}

}  // namespace
}  // namespace kinetic::record
