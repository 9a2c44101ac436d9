#include "backend/kubernetes/target.h"

#include "kinetic/try.h"

#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "unit/backend/sample_manifest_request.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

/// A cluster with one Job, which the first query does not return.
class LateJob final : public http::Transport {
 public:
  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token /*stop*/) override {
    std::string body =
        R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]})";
    int status = 200;
    if (request.url.find("/jobs/kinetic-j") != std::string::npos) {
      if (std::exchange(late_, false)) {
        status = 404;
        body = R"({"kind":"Status","reason":"NotFound","code":404})";
      } else {
        body = R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"kinetic-j",)"
               R"("namespace":"ml","uid":"u","creationTimestamp":"2026-11-01T00:00:00Z"}})";
      }
    }
    if (status == 200 && sink) KINETIC_RETURN_IF_ERROR(sink(body));
    http::Response response;
    response.status = status;
    if (status != 200 || !sink) response.body = body;
    return response;
  }

 private:
  bool late_ = true;
};

TEST(KubernetesTarget, FindsJobReplacedBetweenTwoQueries) {
  test::FakeClock clock;
  test::MemoryStore store(clock);
  connect::Cluster cluster;
  cluster.transport = std::make_shared<LateJob>();
  cluster.server = "https://c";
  cluster.default_namespace = "ml";
  const auto target = MakeKubernetesTarget({}, std::move(cluster), {store, clock});
  const auto snapshot = target->Observe("j", {});
  ASSERT_TRUE(snapshot) << snapshot.error().message;
  EXPECT_TRUE(*snapshot);
}

/// A cluster with one Job that has failed.
class FailedJob final : public http::Transport {
 public:
  Result<http::Response> Stream(const http::Request& /*request*/, const http::Sink& sink,
                                std::stop_token /*stop*/) override {
    const std::string body =
        R"({"kind":"JobList","apiVersion":"batch/v1","metadata":{"resourceVersion":"1"},"items":[)"
        R"({"metadata":{"name":"kinetic-j","namespace":"ml","uid":"u",)"
        R"("annotations":{"kinetic.dev/store":"gs://b"},"labels":{)"
        R"("app.kubernetes.io/managed-by":"kinetic","kinetic.dev/job-id":"j"},)"
        R"("creationTimestamp":"2026-11-01T00:00:00Z"},"status":{"conditions":[)"
        R"({"type":"Failed","status":"True","reason":"BackoffLimitExceeded"}]}}]})";
    http::Response response;
    response.status = 200;
    if (sink) KINETIC_RETURN_IF_ERROR(sink(body));
    if (!sink) response.body = body;
    return response;
  }
};

TEST(KubernetesTarget, SweepReturnsJobAge) {
  test::FakeClock clock;
  clock.Jump(*ParseTime("2026-11-01T02:00:00Z") - clock.Now());
  test::MemoryStore store(clock);
  connect::Cluster cluster;
  cluster.transport = std::make_shared<FailedJob>();
  cluster.server = "https://c";
  cluster.default_namespace = "ml";
  const auto target = MakeKubernetesTarget({.store = "gs://b"}, std::move(cluster), {store, clock});
  const auto abandoned = target->Sweep({});
  ASSERT_TRUE(abandoned) << abandoned.error().message;
  ASSERT_EQ(abandoned->size(), 1U);
  EXPECT_EQ(abandoned->front().id, "j");
  EXPECT_EQ(abandoned->front().age, std::chrono::hours(2));
}

/// A cluster that reports a running pod and no later change. The log of the pod's collector has only
/// its last line.
class ClusterBehindItsLogs final : public http::Transport {
 public:
  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override {
    const auto has = [&](std::string_view part) {
      return request.url.find(part) != std::string::npos;
    };
    if (has("watch=")) return AwaitStop(stop);
    if (has("/log?"))
      return Answer(std::string("end ") + kNonce + " succeeded " + kDigest + "\n", sink);
    if (has("/jobs?")) return Answer(List("JobList", "batch/v1", kJob), sink);
    if (has("/pods?")) return Answer(List("PodList", "v1", kPod), sink);
    return Answer(List("EventList", "v1", ""), sink);
  }

 private:
  static constexpr auto kNonce = "0123456789abcdef0123456789abcdef";
  static constexpr auto kDigest =
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  static constexpr std::string_view kJob =
      R"({"metadata":{"name":"kinetic-j","namespace":"ml","uid":"u"}})";
  static constexpr std::string_view kPod =
      R"({"metadata":{"name":"kinetic-j-0","namespace":"ml","uid":"p"},)"
      R"("status":{"phase":"Running",)"
      R"("initContainerStatuses":[{"name":"collector","state":{"running":{}}}],)"
      R"("containerStatuses":[{"name":"main","state":{"running":{}}}]}})";

  static std::string List(std::string_view kind, std::string_view version, std::string_view item) {
    return fmt::format(
        R"({{"kind":"{}","apiVersion":"{}","metadata":{{"resourceVersion":"1"}},"items":[{}]}})",
        kind, version, item);
  }

  static Result<http::Response> Answer(const std::string& body, const http::Sink& sink) {
    if (sink) (void)sink(body);
    http::Response response;
    response.status = 200;
    if (!sink) response.body = body;
    return response;
  }

  static Result<http::Response> AwaitStop(const std::stop_token& stop) {
    (void)SystemClock().Sleep(std::chrono::hours(1), stop);
    return Fail(ErrorCode::kCancelled, "stopped");
  }
};

TEST(KubernetesTarget, ReportsEndByLastLineOfLog) {
  test::MemoryStore store(SystemClock());
  connect::Cluster cluster;
  cluster.transport = std::make_shared<ClusterBehindItsLogs>();
  cluster.server = "https://c";
  cluster.default_namespace = "ml";
  const auto target = MakeKubernetesTarget({}, std::move(cluster), {store, SystemClock()});
  JobState last = JobState::kPending;
  const auto take = [&](const Observation& now) -> Status {
    last = now.status.state;
    return {};
  };
  EXPECT_TRUE(target->Watch("j", take, {}));
  EXPECT_EQ(last, JobState::kSucceeded);
}

/// A cluster that accepts jobs and records what is deleted.
class RemovedObjects final : public http::Transport {
 public:
  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token /*stop*/) override {
    std::string body = "{}";
    if (request.url.ends_with("/version")) {
      body = R"({"major":"1","minor":"31","gitVersion":"v1.31.0"})";
    } else if (request.url.ends_with("/namespaces/ml")) {
      body = R"({"kind":"Namespace","metadata":{"name":"ml"}})";
    } else if (request.url.find("accessreviews") != std::string::npos) {
      body = R"({"kind":"SelfSubjectAccessReview","status":{"allowed":true}})";
    }
    if (request.method == "DELETE") {
      const std::lock_guard lock(mutex_);
      removed_.push_back(request.url.substr(request.url.find("/ml/")));
    }
    if (sink) KINETIC_RETURN_IF_ERROR(sink(body));
    http::Response response;
    response.status = 200;
    if (!sink) response.body = body;
    return response;
  }

  std::vector<std::string> removed() {
    const std::lock_guard lock(mutex_);
    return std::exchange(removed_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> removed_;
};

TEST(KubernetesTarget, RemovesNoSecretOfJobThatItStartedWithoutSecrets) {
  test::FakeClock clock;
  test::MemoryStore store(clock);
  const auto server = std::make_shared<RemovedObjects>();
  connect::Cluster cluster;
  cluster.transport = server;
  cluster.server = "https://c";
  cluster.default_namespace = "ml";
  const auto target = MakeKubernetesTarget({}, std::move(cluster), {store, clock});
  ASSERT_TRUE(target->Remove("ab12", {}));
  EXPECT_THAT(server->removed(),
              UnorderedElementsAre("/ml/jobs/kinetic-ab12", "/ml/secrets/kinetic-ab12"));
  const record::Record record = SampleRecord();
  const Status started = target->Start({.record = &record}, {});
  ASSERT_TRUE(started) << started.error().message;
  ASSERT_TRUE(target->Remove(record.id, {}));
  EXPECT_THAT(server->removed(), ElementsAre("/ml/jobs/kinetic-ab12"));
}

/// A restricted namespace. Counts the queries for it, the first of which fails.
class RestrictedNamespace final : public http::Transport {
 public:
  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token /*stop*/) override {
    const std::lock_guard lock(mutex_);
    std::string body = "{}";
    if (request.url.ends_with("/namespaces/ml")) {
      if (++queries_ == 1) return Fail(ErrorCode::kInternal, "refused");
      body = R"({"kind":"Namespace","metadata":{"name":"ml","labels":)"
             R"({"pod-security.kubernetes.io/enforce":"restricted"}}})";
    } else if (request.url.ends_with("/version")) {
      body = R"({"major":"1","minor":"31","gitVersion":"v1.31.0"})";
    } else if (request.url.find("accessreviews") != std::string::npos) {
      body = R"({"kind":"SelfSubjectAccessReview","status":{"allowed":true}})";
    }
    if (sink) KINETIC_RETURN_IF_ERROR(sink(body));
    http::Response response;
    response.status = 200;
    if (!sink) response.body = body;
    return response;
  }

  int queries() const { return queries_; }

 private:
  std::mutex mutex_;
  int queries_ = 0;
};

TEST(KubernetesTarget, ChecksNamespaceOncePerPreflight) {
  test::FakeClock clock;
  test::MemoryStore store(clock);
  const auto server = std::make_shared<RestrictedNamespace>();
  connect::Cluster cluster;
  cluster.transport = server;
  cluster.server = "https://c";
  cluster.default_namespace = "ml";
  const auto target = MakeKubernetesTarget({}, std::move(cluster), {store, clock});
  const record::Record record = SampleRecord();
  const auto describe = [&] { return target->DescribeJob({.record = &record}, {}); };
  EXPECT_FALSE(describe());
  for (int i = 0; i < 2; ++i) {
    const auto manifests = describe();
    ASSERT_TRUE(manifests) << manifests.error().message;
    EXPECT_THAT(manifests->front().ToJson(), HasSubstr("runAsNonRoot"));
  }
  EXPECT_EQ(server->queries(), 2) << "a failed check is repeated, a successful one is kept";
  ASSERT_TRUE(target->Preflight({}));
  EXPECT_EQ(server->queries(), 3) << "an earlier check may be outdated";
}

}  // namespace
}  // namespace kinetic::backend
