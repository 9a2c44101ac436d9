#include "google/api/client.h"

#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gmock/gmock.h>

#include <string>

namespace kinetic::google {
namespace {

using testing::HasSubstr;

class ApiClientTest : public testing::Test {
 protected:
  Status List() {
    const auto listed = api_.List("compute.googleapis.com", "/v1/zones", "items", {});
    return listed ? Status() : Status(Failure(listed.error()));
  }

  test::FakeClock clock_;
  test::ScriptedTransport transport_;
  ApiClient api_{transport_, clock_};
};

TEST_F(ApiClientTest, RejectsRepeatedPageToken) {
  for (int i = 0; i < 3; ++i) transport_.Answer(200, R"({"items":[{}],"nextPageToken":"t"})");
  const Status listed = List();
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code, ErrorCode::kDataLoss);
  EXPECT_THAT(listed.error().message, HasSubstr("/v1/zones: the server sent the same page token"));
  EXPECT_EQ(transport_.sent().size(), 2U);
}

TEST_F(ApiClientTest, RejectsTooManyEmptyPages) {
  for (int i = 0; i < 1001; ++i) {
    transport_.Answer(200, R"({"items":[],"nextPageToken":")" + std::to_string(i) + R"("})");
  }
  const Status listed = List();
  ASSERT_FALSE(listed);
  EXPECT_THAT(listed.error().message, HasSubstr("1000 empty pages"));
}

}  // namespace
}  // namespace kinetic::google
