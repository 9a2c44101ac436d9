#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/nodes/provisioning.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"
#include "unit/backend/sample_manifest_request.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace kinetic::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ProvisioningJobTest : public ::testing::Test {
 protected:
  ProvisioningJobTest() {
    request_.node = {.spec = &spec_, .image = "python:3.12-slim"};
    request_.cluster.name_space = "ml";
    request_.cluster.runner_image = "registry.test/kinetic-runner:1";
    request_.digits = "ab12";
  }

  Value Job() const {
    auto job = MakeProvisioningJob(request_);
    EXPECT_TRUE(job) << job.error().message;
    return job.value_or(Value());
  }
  Value Pod() const {
    const Value job = Job();
    const Value* const pod = At(job, {"spec", "template", "spec"});
    return pod == nullptr ? Value() : *pod;
  }
  Value OfJob() const {
    return PodOfJob(spec_, request_.node.image, request_.cluster).value_or(Value());
  }

  JobSpec spec_ = SampleRecord().spec;
  ProvisioningJobRequest request_;
};

TEST_F(ProvisioningJobTest, HasPlacementOfJob) {
  spec_.spot = true;
  spec_.pod = *Value::FromJson(R"({"spec":{"nodeSelector":{"disk":"fast"},
    "tolerations":[{"key":"team","operator":"Exists"}],"schedulerName":"mine",
    "priorityClassName":"high","imagePullSecrets":[{"name":"registry"}]}})");
  const Value pod = Pod();
  const Value of_job = OfJob();
  for (const char* const member :
       {"nodeSelector", "tolerations", "schedulerName", "priorityClassName", "imagePullSecrets"}) {
    ASSERT_NE(pod.Find(member), nullptr) << member;
    EXPECT_EQ(*pod.Find(member), *of_job.Find(member)) << member;
  }
  EXPECT_EQ(ListAt(pod, {"tolerations"}).size(), 3U);
}

TEST_F(ProvisioningJobTest, HasRequestsOfJobContainers) {
  spec_.pod = *Value::FromJson(R"({"spec":{"initContainers":[
    {"name":"proxy","image":"proxy:1","restartPolicy":"Always",
     "resources":{"requests":{"cpu":"3"}}},
    {"name":"once","image":"once:1","resources":{"requests":{"cpu":"64"}}}]}})");
  const Value pod = Pod();
  std::vector<std::string> requested;
  for (const Value& container : ListAt(pod, {"containers"})) {
    requested.push_back(container.Find("resources")->ToJson());
    EXPECT_EQ(TextAt(container, {"image"}), "python:3.12-slim");
  }
  const Value of_job = OfJob();
  const auto wanted = [&](std::string_view list, std::size_t index) {
    return ListAt(of_job, {list})[index].Find("resources")->ToJson();
  };
  EXPECT_THAT(requested, ElementsAre(wanted("containers", 0), wanted("initContainers", 0),
                                     R"({"requests":{"cpu":"3"}})"));
  EXPECT_THAT(requested[0], HasSubstr("google.com/tpu"));
}

TEST_F(ProvisioningJobTest, RunsNoProgramOfImages) {
  const Value pod = Pod();
  for (const Value& container : ListAt(pod, {"containers"})) {
    EXPECT_EQ(ListAt(container, {"command"}).back(), Value("--version"));
  }
  EXPECT_EQ(ListAt(pod, {"initContainers"}).size(), 1U);
  EXPECT_EQ(TextAt(ListAt(pod, {"initContainers"}).front(), {"image"}),
            "registry.test/kinetic-runner:1");
  request_.node.image.clear();
  const Value unknown = Pod();
  EXPECT_EQ(TextAt(ListAt(unknown, {"containers"}).front(), {"image"}),
            "registry.test/kinetic-runner:1");
}

TEST_F(ProvisioningJobTest, IsDeletedAutomaticallyAndNotListedAsJob) {
  const Value job = Job();
  EXPECT_EQ(NameOf(job), "kinetic-provisioning-ab12");
  EXPECT_EQ(IntAt(job, {"spec", "backoffLimit"}), 0);
  EXPECT_EQ(IntAt(job, {"spec", "ttlSecondsAfterFinished"}), 0);
  EXPECT_EQ(IntAt(job, {"spec", "activeDeadlineSeconds"}), 600);
  EXPECT_EQ(TextAt(job, {"metadata", "labels", "kinetic.dev/provisioning"}), "ab12");
  EXPECT_EQ(At(job, {"metadata", "labels", "kinetic.dev/job-id"}), nullptr);
  EXPECT_EQ(At(job, {"metadata", "annotations"}), nullptr);
  EXPECT_EQ(TextAt(Pod(), {"restartPolicy"}), "Never");
}

TEST_F(ProvisioningJobTest, UsesFirstAcceleratorOfList) {
  spec_.accelerators.push_back(ParseAccelerator("gpu-l4").value_or(Accelerator{}));
  EXPECT_THAT(Job().ToJson(), HasSubstr("google.com/tpu"));
  EXPECT_EQ(Job().ToJson().find("nvidia"), std::string::npos);
}

TEST_F(ProvisioningJobTest, FailsIfPlacementIsDecidedElsewhere) {
  const JobSpec plain = spec_;
  spec_.queue = "team";
  EXPECT_EQ(MakeProvisioningJob(request_).error().code, ErrorCode::kFailedPrecondition);
  for (const char* const volume :
       {R"({"name":"v","persistentVolumeClaim":{"claimName":"c"}})",
        R"({"name":"v","ephemeral":{"volumeClaimTemplate":{"spec":{}}}})"}) {
    spec_ = plain;
    spec_.pod = *Value::FromJson(R"({"spec":{"volumes":[)" + std::string(volume) + "]}}");
    const auto job = MakeProvisioningJob(request_);
    ASSERT_FALSE(job) << volume;
    EXPECT_EQ(job.error().code, ErrorCode::kFailedPrecondition) << job.error().message;
  }
}

/// A server with prepared responses.
class ProvisionNodeTest : public ProvisioningJobTest {
 protected:
  Status Ask() {
    const kube::Client client(server_, clock_, {.server = "https://c"});
    const auto requested = [&](std::string_view name) {
      requested_.emplace_back(name);
      stop_.request_stop();
    };
    return ProvisionNode({client, client, clock_}, request_, requested, stop_.get_token());
  }
  std::vector<std::string> Methods() const {
    std::vector<std::string> methods;
    for (const auto& sent : server_.sent()) methods.push_back(sent.method);
    return methods;
  }

  test::FakeClock clock_;
  test::ScriptedTransport server_;
  std::stop_source stop_;
  std::vector<std::string> requested_;
};

TEST_F(ProvisionNodeTest, StopRequestDeletesJob) {
  server_.Answer(201, Job().ToJson()).Answer(200, R"({"kind":"Status","status":"Success"})");
  const auto done = Ask();
  EXPECT_TRUE(done) << done.error().message;
  EXPECT_THAT(requested_, ElementsAre("kinetic-provisioning-ab12"));
  EXPECT_THAT(Methods(), ElementsAre("POST", "DELETE"));
  EXPECT_THAT(server_.sent()[1].url, HasSubstr("/namespaces/ml/jobs/kinetic-provisioning-ab12"));
  EXPECT_THAT(server_.sent()[1].body, HasSubstr("Background"));
}

TEST_F(ProvisionNodeTest, ReportsRejectedRequest) {
  for (const int status : {403, 422}) {
    test::ScriptedTransport server;
    server
        .Answer(status,
                R"({"kind":"Status","status":"Failure","message":"exceeded quota","code":)" +
                    std::to_string(status) + "}")
        .Answer(404, R"({"kind":"Status","reason":"NotFound","code":404})");
    const kube::Client client(server, clock_, {.server = "https://c"});
    const auto done = ProvisionNode(
        {client, client, clock_}, request_, [](std::string_view) { FAIL(); }, stop_.get_token());
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message, HasSubstr("exceeded quota"));
    EXPECT_TRUE(server.Done());
  }
}

TEST_F(ProvisionNodeTest, SendsNoRequestIfPlacementIsUnknown) {
  spec_.queue = "team";
  EXPECT_FALSE(Ask());
  EXPECT_THAT(Methods(), IsEmpty());
}

}  // namespace
}  // namespace kinetic::backend
