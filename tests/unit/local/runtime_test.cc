#include "local/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::local {
namespace {

using ::testing::HasSubstr;

LaunchRequest MakeLaunchRequest() {
  LaunchRequest request;
  request.job_id = "k-1";
  request.record_sha256 = std::string(64, 'a');
  request.record = R"({"version": 1})";
  request.store = "/store";
  request.state_dir = "/state";
  request.python = "/env/bin/python";
  request.environment_root = "/env";
  request.search_path = "/usr/bin:/bin";
  request.concurrency = 3;
  request.data_cache = "/volume";
  request.job_cache = "/cache/job-cache";
  request.sources = {{"", {"/project", "", "/cache/stat/1"}},
                     {"/data", {"/sets", "one.bin", "/cache/stat/2"}}};
  request.secrets = {{"TOKEN", "line\nquote\""}, {"EMPTY", ""}};
  request.cloud.access_token = "t";
  return request;
}

TEST(LaunchRequest, RoundTripsThroughJson) {
  const LaunchRequest request = MakeLaunchRequest();
  const auto read = LaunchRequestFromJson(ToJson(request));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->job_id, request.job_id);
  EXPECT_EQ(read->record_sha256, request.record_sha256);
  EXPECT_EQ(read->record, request.record);
  EXPECT_EQ(read->store, request.store);
  EXPECT_EQ(read->state_dir, request.state_dir);
  EXPECT_EQ(read->python, request.python);
  EXPECT_EQ(read->environment_root, request.environment_root);
  EXPECT_EQ(read->search_path, request.search_path);
  EXPECT_EQ(read->concurrency, 3U);
  EXPECT_EQ(read->data_cache, request.data_cache);
  EXPECT_EQ(read->job_cache, request.job_cache);
  EXPECT_EQ(read->sources, request.sources);
  EXPECT_EQ(read->secrets, request.secrets);
  EXPECT_EQ(read->cloud.access_token, "t");
}

TEST(LaunchRequest, NamesTheInvalidField) {
  LaunchRequest request = MakeLaunchRequest();
  request.record_sha256 = "abc";
  EXPECT_THAT(LaunchRequestFromJson(ToJson(request)).error().message, HasSubstr("record_sha256"));
  request = MakeLaunchRequest();
  request.concurrency = 0;
  EXPECT_THAT(LaunchRequestFromJson(ToJson(request)).error().message, HasSubstr("concurrency"));
  request = MakeLaunchRequest();
  request.state_dir = "relative";
  EXPECT_THAT(LaunchRequestFromJson(ToJson(request)).error().message, HasSubstr("state_dir"));
  EXPECT_EQ(LaunchRequestFromJson("[]").error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(LaunchRequestFromJson("{").error().code, ErrorCode::kDataLoss);
}

TEST(SupervisorIdentity, RoundTripsThroughJson) {
  const SupervisorIdentity identity{42, 1234567, "boot", "nonce"};
  const auto read = SupervisorIdentityFromJson(ToJson(identity));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->pid, 42);
  EXPECT_EQ(read->start_time, 1234567U);
  EXPECT_EQ(read->boot_id, "boot");
  EXPECT_EQ(read->nonce, "nonce");
  EXPECT_FALSE(SupervisorIdentityFromJson("{\"pid\": 1}"));
}

TEST(SpoolSegment, ParsesItsOwnNames) {
  EXPECT_EQ(SpoolSegment("/s", 42).native(), "/s/000000000042.klog");
  EXPECT_EQ(ParseSpoolSegment("000000000042.klog"), 42U);
  EXPECT_EQ(ParseSpoolSegment("00000000042.klog"), std::nullopt);
  EXPECT_EQ(ParseSpoolSegment("00000000004x.klog"), std::nullopt);
  EXPECT_EQ(ParseSpoolSegment("000000000042.klog~"), std::nullopt);
}

}  // namespace
}  // namespace kinetic::local
