#include "base/strings.h"
#include "connect/cloud_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinetic::connect {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;

constexpr WallTime kNow{std::chrono::seconds(1'700'000'000)};

CloudOptions TokenThatEndsIn(std::chrono::seconds time) {
  const auto end = (kNow + time).time_since_epoch() / std::chrono::seconds(1);
  CloudOptions options;
  options.access_token =
      "e30." + Base64UrlEncode("{\"exp\":" + std::to_string(end) + "}") + ".c2ln";
  return options;
}

TEST(ExpiryWarning, ComparesTheExpiryWithTheTimeLimit) {
  const CloudOptions options = TokenThatEndsIn(hours(1));
  EXPECT_FALSE(ExpiryWarning(options, kNow, hours(1)));
  const auto longer = ExpiryWarning(options, kNow, hours(1) + std::chrono::milliseconds(1));
  ASSERT_TRUE(longer);
  EXPECT_THAT(*longer, HasSubstr("expires at 2023-11-14T23:13:20"));
  EXPECT_TRUE(ExpiryWarning(options, kNow, std::nullopt));
  EXPECT_TRUE(ExpiryWarning(options, kNow, std::chrono::milliseconds::max()));
  EXPECT_EQ(longer->find(options.access_token), std::string::npos);
}

TEST(ExpiryWarning, AssumesAnHourForOpaqueTokens) {
  CloudOptions options;
  options.access_token = "ya29.opaque";
  const auto words = ExpiryWarning(options, kNow, hours(2));
  ASSERT_TRUE(words);
  EXPECT_THAT(*words, HasSubstr("expires within an hour"));
  EXPECT_EQ(words->find("ya29"), std::string::npos);
}

TEST(ExpiryWarning, WarnsAboutTokenFilesButNotOtherCredentials) {
  CloudOptions options;
  EXPECT_FALSE(ExpiryWarning(options, kNow, std::nullopt));
  options.credential_file = "/key.json";
  EXPECT_FALSE(ExpiryWarning(options, kNow, std::nullopt));
  options.token_file = "/run/token";
  EXPECT_THAT(ExpiryWarning(options, kNow, hours(1)).value_or(""), HasSubstr("/run/token"));
}

}  // namespace
}  // namespace kinetic::connect
