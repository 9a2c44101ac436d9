#include "google/cloud_build/client.h"

#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gmock/gmock.h>

namespace kinetic::google {
namespace {

using test::FakeClock;
using test::ScriptedTransport;
using testing::HasSubstr;

constexpr const char* kBuilds =
    "https://cloudbuild.googleapis.com/v1/projects/p/locations/europe-west4/builds";

class CloudBuildTest : public testing::Test {
 protected:
  static std::string BuildText(const std::string& id, const std::string& status,
                               const std::string& tag = "key",
                               const std::string& created = "2026-11-23T09:00:00Z") {
    return R"({"id":")" + id + R"(","status":")" + status + R"(","tags":[")" + tag +
           R"("],"createTime":")" + created + R"("})";
  }
  static std::string Operation(const std::string& build) {
    return R"({"name":"operations/build/p/OGY=","metadata":{"build":)" + build + "}}";
  }
  static Error Reset() { return {ErrorCode::kUnavailable, "connection reset", "", {}}; }

  /// The tag by which the last listing looked for a build.
  std::string LookedFor() const {
    const std::string url = transport_.sent().back().url;
    const std::string filter = "filter=tags%3D%22";
    const std::size_t at = url.find(filter) + filter.size();
    return url.substr(at, url.find("%22", at) - at);
  }

  ScriptedTransport transport_;
  FakeClock clock_;
  CloudBuild builds_{transport_, clock_, {.project = "p", .region = "europe-west4"}};
};

TEST_F(CloudBuildTest, CreatesABuildWithACallTag) {
  transport_.Answer(200, Operation(BuildText("8f", "QUEUED")));
  BuildConfig order;
  order.tags = {"kinetic"};
  const auto build = builds_.Create(order, "mark", {});
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->id, "8f");
  EXPECT_EQ(build->status, BuildStatus::kQueued);
  ASSERT_EQ(transport_.sent().size(), 1U);
  EXPECT_EQ(transport_.sent().front().method, "POST");
  EXPECT_EQ(transport_.sent().front().url, kBuilds);
  EXPECT_THAT(transport_.sent().front().body, HasSubstr(R"("tags":["kinetic","mark"])"));
}

TEST_F(CloudBuildTest, FindsTheBuildOfALostResponseEvenIfFinished) {
  transport_.Answer(503).Answer(200, R"({"builds":[)" + BuildText("8f", "SUCCESS", "mark") + "]}");
  const auto build = builds_.Create({}, "mark", {});
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(build->id, "8f");
  EXPECT_EQ(build->status, BuildStatus::kSuccess);
  EXPECT_EQ(LookedFor(), "mark");
}

TEST_F(CloudBuildTest, ResendsARequestThatCreatedNothing) {
  transport_.Fail(Reset()).Answer(200, "{}").Answer(200, Operation(BuildText("8f", "QUEUED")));
  const auto build = builds_.Create({}, "mark", {});
  ASSERT_TRUE(build) << build.error().message;
  const auto sent = transport_.sent();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[1].method, "GET");
  EXPECT_EQ(sent[0].body, sent[2].body);
  EXPECT_NE(CloudBuild::NewCallTag(), CloudBuild::NewCallTag());
}

TEST_F(CloudBuildTest, RejectionIsFinal) {
  transport_.Answer(403, R"({"error":{"message":"The caller does not have permission"}})");
  const auto build = builds_.Create({}, "mark", {});
  ASSERT_FALSE(build);
  EXPECT_EQ(build.error().code, ErrorCode::kPermissionDenied);
  EXPECT_THAT(build.error().hint, HasSubstr("roles/cloudbuild.builds.editor"));
  EXPECT_TRUE(transport_.Done());
}

TEST_F(CloudBuildTest, ChecksForTheBuildAfterAMalformedResponse) {
  transport_.Answer(200, "<html>")
      .Answer(200, R"({"builds":[]})")
      .Answer(200, R"({"name":"operations/x"})")
      .Answer(200, "{}")
      .Answer(200, Operation(BuildText("8f", "WORKING")));
  const auto build = builds_.Create({}, "mark", {});
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_TRUE(transport_.Done());
}

TEST_F(CloudBuildTest, RejectsRepeatedPageToken) {
  for (int i = 0; i < 3; ++i) transport_.Answer(200, R"({"builds":[],"nextPageToken":"t"})");
  const auto builds = builds_.ListOngoing("kinetic", {});
  ASSERT_FALSE(builds);
  EXPECT_EQ(builds.error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(transport_.sent().size(), 2U);
}

TEST_F(CloudBuildTest, RetriesTransientErrors) {
  transport_.Answer(503).Fail(Reset()).Answer(200, BuildText("8f", "WORKING"));
  const auto build = builds_.Get("8f", {});
  ASSERT_TRUE(build) << build.error().message;
  EXPECT_EQ(transport_.sent().back().url, std::string(kBuilds) + "/8f");
}

TEST_F(CloudBuildTest, ListsOngoingBuildsOfATagOldestFirst) {
  transport_
      .Answer(200, R"({"nextPageToken":"more","builds":[)" +
                       BuildText("c", "QUEUED", "key", "2026-11-23T09:00:02Z") + "," +
                       BuildText("d", "FAILURE") + "," + BuildText("e", "WORKING", "other") + "]}")
      .Answer(200, R"({"builds":[)" + BuildText("b", "PENDING") + "," + BuildText("a", "WORKING") +
                       "]}");
  const auto builds = builds_.ListOngoing("key", {});
  ASSERT_TRUE(builds) << builds.error().message;
  std::vector<std::string> ids;
  for (const Build& build : *builds) ids.push_back(build.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(LookedFor(), "key");
  EXPECT_THAT(transport_.sent().back().url, HasSubstr("pageToken=more"));
}

TEST_F(CloudBuildTest, CancelsOngoingBuilds) {
  transport_.Answer(200, BuildText("8f", "CANCELLED"));
  EXPECT_TRUE(builds_.Cancel("8f", {}));
  EXPECT_EQ(transport_.sent().back().method, "POST");
  EXPECT_EQ(transport_.sent().back().url, std::string(kBuilds) + "/8f:cancel");
  transport_.Answer(400, R"({"error":{"message":"the build is done","status":)"
                         R"("FAILED_PRECONDITION"}})");
  EXPECT_TRUE(builds_.Cancel("8f", {}));
  transport_.Answer(404, R"({"error":{"message":"not found"}})");
  EXPECT_FALSE(builds_.Cancel("8f", {}));
}

}  // namespace
}  // namespace kinetic::google
