#include "backend/kubernetes/lifecycle/failover.h"

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "record/object_names.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "unit/backend/sample_manifest_request.h"

#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::backend {
namespace {

using ::testing::IsEmpty;

Value Pod(std::string_view node) {
  Value::Map spec;
  if (!node.empty()) spec.emplace_back("nodeName", std::string(node));
  return Value::Map{
      {"kind", "Pod"},
      {"metadata", Value::Map{{"name", "p"}, {"uid", "p1"}, {"resourceVersion", "7"}}},
      {"spec", spec}};
}

/// A cluster with a configurable pod, and a Job that disappears when it is deleted.
class OnePod final : public http::Transport {
 public:
  bool pod_was_removed = false;   ///< by another client
  std::optional<Value> pod = {};  ///< returned by Get
  std::vector<std::string> made;  ///< created Jobs
  bool job_is_there = true;

  Result<http::Response> Stream(const http::Request& request, const http::Sink& /*sink*/,
                                std::stop_token /*stop*/) override {
    const bool about_pods = request.url.find("/pods/") != std::string::npos;
    if (request.method == "DELETE" && about_pods) {
      return pod_was_removed ? NotFound() : pod ? Answer(409, "{}") : Answer(200, "{}");
    }
    if (request.method == "GET" && about_pods) return pod ? Answer(200, pod->ToJson()) : NotFound();
    if (request.method == "DELETE") {
      job_is_there = false;
      return Answer(200, "{}");
    }
    if (request.method == "GET") return job_is_there ? Answer(500, "{}") : NotFound();
    made.push_back(request.url);
    return Answer(201, R"({"kind":"Job","metadata":{"name":"kinetic-ab12","uid":"u2"}})");
  }

 private:
  static http::Response Answer(int status, std::string body) {
    http::Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
  }
  static http::Response NotFound() {
    return Answer(404, R"({"kind":"Status","reason":"NotFound","code":404})");
  }
};

class KubernetesFailover : public ::testing::Test {
 protected:
  KubernetesFailover() {
    record::Record record = SampleRecord();
    record.spec.accelerators.push_back(*ParseAccelerator("gpu-l4"));
    Value job = BuildManifests(SampleRequest(record))->job;
    Value metadata = *job.Find("metadata");
    metadata.Set("uid", "u1");
    metadata.Set("creationTimestamp", "2026-11-22T10:00:00Z");
    job.Set("metadata", metadata);
    observed_.job = job;
    observed_.pods.emplace("p1", Pod(""));
  }

  FailoverContext Job() { return {client_, "ml", store_, clock_, "ab12"}; }
  bool IsPlanned() { return store_.Stat(record::NextJobName("ab12"), {})->has_value(); }

  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  OnePod cluster_;
  kube::Client client_{cluster_, clock_, {.server = "https://c"}};
  ClusterSnapshot observed_;
};

TEST_F(KubernetesFailover, ReplacesPodAndJob) {
  EXPECT_EQ(StartFailover(Job(), observed_, "sold out", {}), true);
  EXPECT_EQ(cluster_.made.size(), 1U);
  EXPECT_FALSE(IsPlanned());
}

TEST_F(KubernetesFailover, LeavesMoveToClientThatRemovedPod) {
  cluster_.pod_was_removed = true;
  EXPECT_EQ(StartFailover(Job(), observed_, "sold out", {}), false);
  EXPECT_THAT(cluster_.made, IsEmpty());
  EXPECT_TRUE(IsPlanned()) << "the other client uses it to create the Job";
  cluster_.job_is_there = false;
  EXPECT_EQ(ResumeFailover(Job(), {}), true);
  EXPECT_EQ(cluster_.made.size(), 1U);
}

TEST_F(KubernetesFailover, RetriesIfPodWasUpdated) {
  cluster_.pod = Pod("");
  EXPECT_EQ(StartFailover(Job(), observed_, "sold out", {}), false);
  EXPECT_TRUE(IsPlanned());
  cluster_.pod.reset();
  EXPECT_EQ(StartFailover(Job(), observed_, "sold out", {}), true);
  EXPECT_EQ(cluster_.made.size(), 1U);
}

TEST_F(KubernetesFailover, KeepsPodWithNode) {
  cluster_.pod = Pod("n1");
  EXPECT_EQ(StartFailover(Job(), observed_, "sold out", {}), false);
  EXPECT_THAT(cluster_.made, IsEmpty());
  EXPECT_FALSE(IsPlanned());
}

}  // namespace
}  // namespace kinetic::backend
