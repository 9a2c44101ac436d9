#include "connect/cloud_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::connect {
namespace {

using ::testing::HasSubstr;

CloudOptions Some() {
  CloudOptions options;
  options.access_token = "token\"\n";
  options.token_file = "/token";
  options.credential_file = "/key.json";
  options.well_known_file = "/known.json";
  options.metadata_url = "http://metadata";
  options.allow_programs = true;
  options.allow_loopback = true;
  options.search_path = "/bin";
  options.environment = {{"A", "1"}, {"B", ""}};
  options.quota_project = "quota";
  options.user_project = "user";
  options.storage_endpoint = "http://localhost:4443";
  options.proxy = "http://ana:pw@proxy:3128";
  options.no_proxy = "localhost,*.example";
  options.ca_file = "/ca.pem";
  options.http_version = HttpVersion::kTwo;
  return options;
}

/// Every member of the JSON differs from that of options left alone: none is forgotten on the way.
TEST(CloudOptionsJson, RoundTrips) {
  const Value written = ToValue(Some());
  const auto read = CloudOptionsFromValue(*Value::FromJson(written.ToJson()));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(ToValue(*read).ToJson(), written.ToJson());
  const Value none = ToValue({});
  for (const auto& [name, value] : *written.AsMap()) EXPECT_NE(value, *none.Find(name)) << name;
  const auto empty = CloudOptionsFromValue(none);
  ASSERT_TRUE(empty);
  EXPECT_EQ(ToValue(*empty), none);
}

TEST(CloudOptionsJson, ErrorsOmitSecrets) {
  const Value members = ToValue({});
  for (const auto& [name, ignored] : *members.AsMap()) {
    Value value = ToValue(Some());
    value.Set(name, 7);
    const auto read = CloudOptionsFromValue(value);
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(read.error().message, HasSubstr(name));
    EXPECT_EQ(read.error().message.find("pw"), std::string::npos);
  }
  Value value = ToValue(Some());
  value.Set("http_version", "3");
  EXPECT_THAT(CloudOptionsFromValue(value).error().message, HasSubstr("http_version"));
  value = ToValue(Some());
  value.Set("environment", Value::Map{{"A", 1}});
  EXPECT_THAT(CloudOptionsFromValue(value).error().message, HasSubstr("environment"));
}

}  // namespace
}  // namespace kinetic::connect
