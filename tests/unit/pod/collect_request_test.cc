#include "pod/collect_request.h"

#include <gmock/gmock.h>

namespace kinetic::pod {
namespace {

using ::testing::HasSubstr;

CollectRequest Sample() {
  CollectRequest request;
  request.job_id = "k-1";
  request.record_sha256 = std::string(64, 'a');
  request.nonce = "0123456789abcdef";
  request.store = "gs://bucket/team";
  request.cloud.storage_endpoint = "http://10.88.7.1:4443";
  request.cloud.metadata_url = "http://metadata.google.internal";
  return request;
}

TEST(CollectRequest, RoundTrips) {
  const auto read = CollectRequestFromJson(ToJson(Sample()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->job_id, "k-1");
  EXPECT_EQ(read->record_sha256, std::string(64, 'a'));
  EXPECT_EQ(read->nonce, "0123456789abcdef");
  EXPECT_EQ(read->store, "gs://bucket/team");
  EXPECT_EQ(read->cloud.storage_endpoint, "http://10.88.7.1:4443");
  EXPECT_EQ(read->cloud.metadata_url, "http://metadata.google.internal");
}

TEST(CollectRequest, ReportsInvalidFields) {
  auto request = Sample();
  request.record_sha256 = "short";
  const auto read = CollectRequestFromJson(ToJson(request));
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("record_sha256"));
  EXPECT_FALSE(CollectRequestFromJson("[]"));
  EXPECT_FALSE(CollectRequestFromJson("{"));
}

}  // namespace
}  // namespace kinetic::pod
