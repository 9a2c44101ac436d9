#include "kube/object.h"

#include "unit/kube/scripted_client.h"

namespace kinetic::test {
namespace {

const std::string kThere = "AlreadyExists";

TEST_F(KubeTest, CreatesAnObjectUnderItsName) {
  transport_.Answer(201, Object("a", "u1", "7"));
  const auto made = client_.Create(kube::kJobs, "ml", Json(R"({"metadata":{"name":"a"}})"), {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE(made->existed);
  EXPECT_EQ(kube::UidOf(made->object), "u1");
  const auto sent = transport_.sent().at(0);
  EXPECT_EQ(sent.method, "POST");
  EXPECT_EQ(
      sent.url,
      "https://c/apis/batch/v1/namespaces/ml/jobs?fieldManager=kinetic&fieldValidation=Strict");
  EXPECT_EQ(sent.headers.Get("content-type"), "application/json");
  EXPECT_EQ(sent.headers.Get("user-agent"), "kinetic");
  EXPECT_EQ(sent.body, R"({"metadata":{"name":"a"}})");
}

TEST_F(KubeTest, ReturnsTheExistingObjectAfterALostResponse) {
  transport_.Fail(Reset())
      .Answer(409, Refusal(409, kThere, "jobs.batch \"a\" already exists"))
      .Answer(200, Object("a", "u1", "7"));
  const auto made = client_.Create(kube::kJobs, "ml", Json(R"({"metadata":{"name":"a"}})"), {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_TRUE(made->existed);
  EXPECT_EQ(kube::UidOf(made->object), "u1");
  EXPECT_EQ(transport_.sent().at(2).url, "https://c/apis/batch/v1/namespaces/ml/jobs/a");
}

TEST_F(KubeTest, CreatesAgainIfTheExistingObjectWasDeleted) {
  transport_.Answer(409, Refusal(409, kThere, "x"))
      .Answer(404, Refusal(404, "NotFound", "x", R"(,"details":{"name":"a","kind":"jobs"})"))
      .Answer(201, Object("a", "u2", "9"));
  const auto made = client_.Create(kube::kJobs, "ml", Json(R"({"metadata":{"name":"a"}})"), {});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_FALSE(made->existed);
}

TEST_F(KubeTest, RetriesQuotaConflictsAFewTimes) {
  const std::string conflict =
      Refusal(409, "Conflict", "Operation cannot be fulfilled on resourcequotas \"q\"");
  transport_.Answer(409, conflict).Answer(201, Object("a", "u1", "7"));
  EXPECT_TRUE(client_.Create(kube::kPods, "ml", Json(R"({"metadata":{"name":"a"}})"), {}));
  for (int i = 0; i < 5; ++i) transport_.Answer(409, conflict);
  const auto made = client_.Create(kube::kPods, "ml", Json(R"({"metadata":{"name":"a"}})"), {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kAborted);
}

TEST_F(KubeTest, HonorsRetryAfter) {
  const auto start = clock_.Steady();
  transport_.Answer(429, "", {{"Retry-After", "7"}})
      .Answer(429, Refusal(429, "TooManyRequests", "x", R"(,"details":{"retryAfterSeconds":5})"))
      .Answer(200, Object("a", "u1", "7"));
  const auto got = client_.Get(kube::kPods, "ml", "a", {});
  ASSERT_TRUE(got && *got);
  EXPECT_GE(clock_.Steady() - start, std::chrono::seconds(12));
  EXPECT_LT(clock_.Steady() - start, std::chrono::seconds(14));
}

TEST_F(KubeTest, SurvivesAServerRestart) {
  const auto start = clock_.Steady();
  while (clock_.Steady() - start < std::chrono::seconds(20)) {
    transport_.Fail({ErrorCode::kUnavailable, "refused", "", {{"sent", "nothing"}}});
    clock_.Advance(std::chrono::seconds(1));
  }
  transport_.Answer(200, Object("a", "u1", "7"));
  const auto got = client_.Get(kube::kPods, "ml", "a", {});
  EXPECT_TRUE(got) << got.error().message;
  EXPECT_TRUE(transport_.Done());
}

TEST_F(KubeTest, RetriesInternalErrorsAFewTimes) {
  for (int i = 0; i < 3; ++i) {
    transport_.Answer(500, Refusal(500, "InternalError", "failed calling webhook \"w\": x"));
  }
  const auto made = client_.Create(kube::kJobs, "ml", Json(R"({"metadata":{"name":"a"}})"), {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            "creating job a in namespace ml: failed calling webhook \"w\": x");
  EXPECT_TRUE(transport_.Done());
}

TEST_F(KubeTest, MissingObjectIsNotAnError) {
  const std::string absent =
      Refusal(404, "NotFound", "x", R"(,"details":{"name":"a","kind":"pods"})");
  transport_.Answer(404, absent).Answer(404, absent).Answer(404, absent);
  EXPECT_EQ(client_.Get(kube::kPods, "ml", "a", {})->has_value(), false);
  EXPECT_EQ(client_.Patch(kube::kPods, "ml", "a", Value(), {})->has_value(), false);
  EXPECT_EQ(*client_.Delete(kube::kPods, "ml", "a", {}, {}), false);
  transport_.Answer(404, "404 page not found");
  EXPECT_EQ(client_.Get(kUnservedKind, "ml", "a", {}).error().code, ErrorCode::kUnimplemented);
}

TEST_F(KubeTest, ReportsMalformedResponses) {
  for (const char* body : {"", "[]", "{"}) {
    transport_.Answer(200, body);
    EXPECT_EQ(client_.Get(kube::kPods, "ml", "a", {}).error().code, ErrorCode::kDataLoss) << body;
  }
}

TEST_F(KubeTest, SendsAMergePatch) {
  transport_.Answer(200, Object("a", "u1", "8"));
  ASSERT_TRUE(client_.Patch(kube::kJobs, "ml", "a", Json(R"({"spec":{"suspend":true}})"), {}));
  const auto sent = transport_.sent().back();
  EXPECT_EQ(sent.method, "PATCH");
  EXPECT_EQ(sent.headers.Get("content-type"), "application/merge-patch+json");
  EXPECT_EQ(
      sent.url,
      "https://c/apis/batch/v1/namespaces/ml/jobs/a?fieldManager=kinetic&fieldValidation=Strict");
}

TEST_F(KubeTest, DeleteSendsItsOptions) {
  transport_.Answer(200, Refusal(200, "", "")).Answer(202, Object("a", "u1", "9"));
  EXPECT_EQ(*client_.Delete(kube::kJobs, "ml", "a", {}, {}), true);
  EXPECT_EQ(transport_.sent().at(0).body,
            R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background"})");
  EXPECT_EQ(
      *client_.Delete(kube::kJobs, "ml", "a", {.grace = std::chrono::seconds(0), .uid = "u1"}, {}),
      true);
  EXPECT_EQ(transport_.sent().at(1).body,
            R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background",)"
            R"("gracePeriodSeconds":0,"preconditions":{"uid":"u1"}})");
}

TEST_F(KubeTest, DeleteKeepsAnotherObjectOfTheSameName) {
  const std::string conflict = Refusal(409, "Conflict",
                                       "Operation cannot be fulfilled on jobs.batch \"a\": "
                                       "Precondition failed: UID in precondition");
  transport_.Answer(409, conflict).Answer(409, conflict);
  EXPECT_EQ(*client_.Delete(kube::kJobs, "ml", "a", {.uid = "u1"}, {}), false);
  EXPECT_EQ(client_.Delete(kube::kJobs, "ml", "a", {}, {}).error().code, ErrorCode::kAborted);
}

TEST_F(KubeTest, NamesAreEncoded) {
  transport_.Answer(404, Refusal(404, "NotFound", "x", R"(,"details":{"name":"x"})"));
  ASSERT_TRUE(client_.Get(kube::kNodes, "ml", "a/../b?c", {}));
  EXPECT_EQ(transport_.sent().at(0).url, "https://c/api/v1/nodes/a%2F..%2Fb%3Fc");
}

}  // namespace
}  // namespace kinetic::test
