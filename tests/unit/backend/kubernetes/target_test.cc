#include "backend/kubernetes/target.h"

#include "kinetic/try.h"

#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <utility>

namespace kinetic::backend {
namespace {

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

}  // namespace
}  // namespace kinetic::backend
