#include "backend/kubernetes/packages/build_job.h"

#include "backend/kubernetes/object_fields.h"
#include "base/strings.h"
#include "pod/package_build_request.h"

#include <gmock/gmock.h>

#include <string>

namespace kinetic::backend {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class PackageBuildJobTest : public ::testing::Test {
 protected:
  PackageBuildJobTest() {
    launch_.request_name = "builds/x.json";
    launch_.request_digest = Sha256::Of("order");
    launch_.image = "python:3.12-slim";
    request_.launch = &launch_;
    request_.store = "gs://bucket/team";
    request_.cluster.name_space = "ml";
    request_.cluster.runner_image = "registry.test/kinetic-runner:1";
  }

  Value Job() const {
    auto job = MakePackageBuildJob(request_);
    EXPECT_TRUE(job) << job.error().message;
    return job.value_or(Value());
  }

  static const Value& Pod(const Value& job) { return *At(job, {"spec", "template", "spec"}); }
  static const Value& Only(const Value& pod, std::string_view list) {
    EXPECT_EQ(ListAt(pod, {list}).size(), 1U);
    return ListAt(pod, {list}).front();
  }

  PackageBuildLaunch launch_;
  PackageBuildManifestRequest request_;
};

TEST_F(PackageBuildJobTest, RunsRunnerInBaseImage) {
  const Value job = Job();
  const Value& bringer = Only(Pod(job), "initContainers");
  EXPECT_EQ(TextAt(bringer, {"image"}), "registry.test/kinetic-runner:1");
  const Value& main = Only(Pod(job), "containers");
  EXPECT_EQ(TextAt(main, {"image"}), "python:3.12-slim");
  EXPECT_EQ(ListAt(main, {"command"}).front(), Value("/kinetic/builder/loader"));
  const Value& variable = Only(main, "env");
  const auto asked = pod::PackageBuildRequestFromJson(TextAt(variable, {"value"}));
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->request_name, launch_.request_name);
  EXPECT_EQ(asked->request_sha256, launch_.request_digest.Hex());
  EXPECT_EQ(asked->store, "gs://bucket/team");
}

TEST_F(PackageBuildJobTest, IsDeletedAutomatically) {
  const Value job = Job();
  EXPECT_EQ(TextAt(Pod(job), {"restartPolicy"}), "Never");
  EXPECT_GT(IntAt(job, {"spec", "activeDeadlineSeconds"}).value_or(0), 0);
  EXPECT_GT(IntAt(job, {"spec", "ttlSecondsAfterFinished"}).value_or(0), 0);
  const Value& rule = ListAt(job, {"spec", "podFailurePolicy", "rules"}).front();
  EXPECT_EQ(TextAt(rule, {"action"}), "FailJob");
  EXPECT_EQ(ListAt(rule, {"onExitCodes", "values"}).front(), Value(kPermanentBuildFailure));
}

TEST_F(PackageBuildJobTest, NameDependsOnAllInputs) {
  const std::string name(NameOf(Job()));
  EXPECT_THAT(name, StartsWith("kinetic-packages-"));
  EXPECT_EQ(NameOf(Job()), name);
  launch_.request_digest = Sha256::Of("another");
  EXPECT_NE(NameOf(Job()), name);
  launch_.request_digest = Sha256::Of("order");
  request_.restricted = true;
  EXPECT_NE(NameOf(Job()), name);
}

TEST_F(PackageBuildJobTest, HasClientIdAndOwnSecret) {
  launch_.private_urls = {{"http://h/simple", "http://ana:geheim@h/simple"}};
  const Value plain = Job();
  request_.client_id = "m1";
  const Value one = Job();
  request_.client_id = "m2";
  const Value other = Job();
  EXPECT_EQ(NameOf(one), NameOf(plain));
  EXPECT_EQ(NameOf(other), NameOf(one));
  EXPECT_EQ(TextAt(one, {"metadata", "annotations", kStartedByAnnotation}), "m1");
  // A kubelet caches an immutable Secret and does not notice when it is replaced.
  EXPECT_NE(NameOf(MakePackageBuildSecret(one, launch_)),
            NameOf(MakePackageBuildSecret(other, launch_)));
}

TEST_F(PackageBuildJobTest, IsNotListedAsJob) {
  // Listings show objects with a job ID, and reconcile those with the store's name.
  const Value job = Job();
  EXPECT_EQ(At(job, {"metadata", "labels", "kinetic.dev/job-id"}), nullptr);
  EXPECT_EQ(At(job, {"metadata", "annotations"}), nullptr);
  EXPECT_EQ(TextAt(job, {"metadata", "labels", "app.kubernetes.io/managed-by"}), "kinetic");
}

TEST_F(PackageBuildJobTest, ContainsNoIndexCredentials) {
  EXPECT_EQ(ListAt(Pod(Job()), {"volumes"}).size(), 1U);
  launch_.private_urls = {{"http://h/simple", "http://ana:geheim@h/simple"}};
  const Value job = Job();
  EXPECT_THAT(job.ToJson(), Not(HasSubstr("geheim")));
  const Value& volume = ListAt(Pod(job), {"volumes"}).back();
  EXPECT_EQ(TextAt(volume, {"secret", "secretName"}), NameOf(job));
  const Value& mount = ListAt(Only(Pod(job), "containers"), {"volumeMounts"}).back();
  EXPECT_EQ(TextAt(mount, {"mountPath"}), "/kinetic-index");
  EXPECT_EQ(ListAt(Only(Pod(job), "initContainers"), {"volumeMounts"}).size(), 1U);
}

TEST_F(PackageBuildJobTest, MountsCredentialsInItsPod) {
  launch_.private_urls = {{"http://h/simple", "http://ana:geheim@h/simple"}};
  Value created = Job();
  Value metadata = *created.Find("metadata");
  metadata.Set("uid", "u-1");
  created.Set("metadata", metadata);
  const Value secret = MakePackageBuildSecret(created, launch_);
  EXPECT_EQ(NameOf(secret), NameOf(created));
  const Value& owner = ListAt(secret, {"metadata", "ownerReferences"}).front();
  EXPECT_EQ(TextAt(owner, {"uid"}), "u-1");
  const auto urls = Base64Decode(TextAt(secret, {"data", "private-urls.json"}));
  ASSERT_TRUE(urls);
  EXPECT_EQ(pod::PrivateUrlsFromJson(*urls).value_or(env::PrivateUrls()), launch_.private_urls);
}

TEST_F(PackageBuildJobTest, AppliesPodFieldsUnrelatedToJobMachine) {
  launch_.pod = *Value::FromJson(R"({"spec": {
      "imagePullSecrets": [{"name": "registry"}], "tolerations": [{"key": "team"}],
      "nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-l4"},
      "containers": [{"name": "main", "resources": {"limits": {"cpu": "8"}}}]}})");
  const Value job = Job();
  EXPECT_EQ(TextAt(Only(Pod(job), "imagePullSecrets"), {"name"}), "registry");
  EXPECT_EQ(TextAt(Only(Pod(job), "tolerations"), {"key"}), "team");
  EXPECT_EQ(MapAt(Pod(job), {"nodeSelector"}).size(), 1U);
  EXPECT_EQ(TextAt(Pod(job), {"nodeSelector", "kubernetes.io/arch"}), "amd64");
  EXPECT_EQ(At(Only(Pod(job), "containers"), {"resources", "limits"}), nullptr);
}

TEST_F(PackageBuildJobTest, AppliesProfileSettings) {
  request_.cluster.service_account = "trainer";
  request_.cluster.runner_credentials = "secret:google";
  request_.restricted = true;
  const Value job = Job();
  EXPECT_EQ(TextAt(Pod(job), {"serviceAccountName"}), "trainer");
  EXPECT_EQ(TextAt(ListAt(Pod(job), {"volumes"}).back(), {"secret", "secretName"}), "google");
  EXPECT_TRUE(BoolAt(Pod(job), {"securityContext", "runAsNonRoot"}));
  for (const char* const list : {"initContainers", "containers"}) {
    EXPECT_EQ(ListAt(Only(Pod(job), list), {"securityContext", "capabilities", "drop"}).front(),
              Value("ALL"));
  }
}

TEST_F(PackageBuildJobTest, RejectsCredentialsInRequest) {
  request_.cloud.access_token = "geheim";
  const auto job = MakePackageBuildJob(request_);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace kinetic::backend
