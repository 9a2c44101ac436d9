#include "backend/kubernetes/manifest/job_manifest.h"

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/pod_fields.h"
#include "base/strings.h"
#include "unit/backend/sample_manifest_request.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::backend {
namespace {

const Value& TemplateOf(const Value& job) { return *job.Find("spec")->Find("template"); }

std::string ErrorOf(const ManifestRequest& request, ErrorCode code) {
  const auto manifests = BuildManifests(request);
  EXPECT_FALSE(manifests);
  if (manifests) return "";
  EXPECT_EQ(manifests.error().code, code) << manifests.error().message;
  return manifests.error().message;
}

TEST(KubernetesManifest, EqualRequestsGiveEqualBytes) {
  const record::Record record = SampleRecord();
  const auto one = BuildManifests(SampleRequest(record));
  const auto two = BuildManifests(SampleRequest(record));
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->job.ToJson(), two->job.ToJson());
  EXPECT_EQ(MatchJob(one->job, two->job), JobMatch::kSame);
  EXPECT_FALSE(one->secret);
}

TEST(KubernetesManifest, ComparesExistingJob) {
  record::Record record = SampleRecord();
  record.spec.accelerators.push_back(*ParseAccelerator("gpu-l4"));
  ManifestRequest request = SampleRequest(record);
  const Value first = BuildManifests(request)->job;
  request.accelerator = 1;
  const Value second = BuildManifests(request)->job;
  EXPECT_EQ(MatchJob(first, second), JobMatch::kSameRecord);
  request.collect.record_sha256 = std::string(64, 'b');
  EXPECT_EQ(MatchJob(second, BuildManifests(request)->job), JobMatch::kOther);
  EXPECT_EQ(MatchJob(Value::Map{{"metadata", Value::Map{}}}, first), JobMatch::kOther);
  EXPECT_EQ(MatchJob(Value(), Value()), JobMatch::kOther);
}

TEST(KubernetesManifest, SpecDigestDependsOnEveryField) {
  const record::Record record = SampleRecord();
  const ManifestRequest plain = SampleRequest(record);
  const Value before = BuildManifests(plain)->job;
  std::vector<ManifestRequest> changed(5, plain);
  changed[0].restricted = true;
  changed[1].cluster.runner_image = "registry.test/kinetic-runner:2";
  changed[2].cluster.name_space = "other";
  changed[3].collect.store = "gs://other";
  changed[4].cluster.service_account = "runner";
  for (const auto& request : changed) {
    EXPECT_EQ(MatchJob(before, BuildManifests(request)->job), JobMatch::kSameRecord);
  }
}

TEST(KubernetesManifest, JobContainsNoSecretValues) {
  record::Record record = SampleRecord();
  record.secret_names = {"TOKEN"};
  ManifestRequest request = SampleRequest(record);
  request.secrets = {{"TOKEN", "s3cr3t-value"}};
  const auto manifests = BuildManifests(request);
  ASSERT_TRUE(manifests && manifests->secret);
  const std::string job = manifests->job.ToJson();
  EXPECT_EQ(job.find("s3cr3t-value"), std::string::npos);
  EXPECT_EQ(job.find(Base64Encode("s3cr3t-value")), std::string::npos);
  EXPECT_EQ(*manifests->secret->Find("data")->Find("TOKEN"), Value(Base64Encode("s3cr3t-value")));
  EXPECT_EQ(*manifests->secret->Find("metadata")->Find("name"),
            *manifests->job.Find("metadata")->Find("name"));
  EXPECT_EQ(JobIdOf(*manifests->secret), "ab12");
  const Value* reference =
      FindAt(TemplateOf(manifests->job),
             {"spec", "containers", "main", "env", "TOKEN", "valueFrom", "secretKeyRef"});
  ASSERT_NE(reference, nullptr);
  EXPECT_EQ(reference->ToJson(), R"({"name":"kinetic-ab12","key":"TOKEN"})");
}

TEST(KubernetesManifest, RejectsCredentialsInCollectRequest) {
  const record::Record record = SampleRecord();
  ManifestRequest request = SampleRequest(record);
  request.collect.cloud.access_token = "ya29.s3cr3t";
  EXPECT_EQ(ErrorOf(request, ErrorCode::kInternal).find("s3cr3t"), std::string::npos);
}

TEST(KubernetesManifest, RejectsInvalidSecrets) {
  record::Record record = SampleRecord();
  record.secret_names = {"TOKEN"};
  ManifestRequest request = SampleRequest(record);
  EXPECT_NE(ErrorOf(request, ErrorCode::kFailedPrecondition).find("TOKEN"), std::string::npos);
  request.secrets = {{"TOKEN", std::string("s3cr3t\0x", 8)}};
  EXPECT_EQ(ErrorOf(request, ErrorCode::kInvalidArgument).find("s3cr3t"), std::string::npos);
  request.secrets = {{"TOKEN", std::string((1 << 20) + 1, 'x')}};
  EXPECT_NE(ErrorOf(request, ErrorCode::kInvalidArgument).find("1 MiB"), std::string::npos);
  record.secret_names = {"A B"};
  request.secrets = {{"A B", "x"}};
  EXPECT_NE(ErrorOf(request, ErrorCode::kInvalidArgument).find("'A B'"), std::string::npos);
}

TEST(KubernetesManifest, JobOwnsSecret) {
  const Value created =
      Value::Map{{"metadata", Value::Map{{"name", "kinetic-ab12"}, {"uid", "0000-11"}}}};
  EXPECT_EQ(OwnerPatch(created).ToJson(),
            R"({"metadata":{"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job",)"
            R"("name":"kinetic-ab12","uid":"0000-11","controller":false,)"
            R"("blockOwnerDeletion":false}]}})");
}

TEST(KubernetesManifest, SelectsImage) {
  JobSpec spec;
  ClusterProfile cluster;
  EXPECT_EQ(ResolveImage(spec, cluster), "python:3.12-slim");
  spec.python = "3.11";
  EXPECT_EQ(ResolveImage(spec, cluster), "python:3.11-slim");
  cluster.image = "base:1";
  EXPECT_EQ(ResolveImage(spec, cluster), "base:1");
  spec.image = ImageSpec{.uri = "mine:1", .dockerfile = {}, .context = {}};
  EXPECT_EQ(ResolveImage(spec, cluster), "mine:1");
}

TEST(KubernetesManifest, MountsDataFromSharedFolder) {
  record::Record record = SampleRecord();
  record.spec.data["/data/sets"] = {.source = "/home/ana/sets"};
  const auto manifests = BuildManifests(SampleRequest(record));
  ASSERT_TRUE(manifests);
  const Value* mount = FindAt(TemplateOf(manifests->job),
                              {"spec", "containers", "main", "volumeMounts", "/data/sets"});
  ASSERT_NE(mount, nullptr);
  EXPECT_EQ(*mount->Find("subPath"), Value("run/data/data/sets"));
}

TEST(KubernetesManifest, AcceptsSingleFileOnlyAsArgument) {
  record::Record record = SampleRecord();
  record.spec.data["/data/a.csv"] = {.source = "/home/ana/a.csv"};
  record.data["/data/a.csv"] = {.tree = {}, .file = true};
  const std::string message = ErrorOf(SampleRequest(record), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(message.starts_with("data./data/a.csv: /home/ana/a.csv is a single file")) << message;
  record.spec.args.positional = {Value::Map{{"$path", "/data/a.csv"}}};
  const auto manifests = BuildManifests(SampleRequest(record));
  ASSERT_TRUE(manifests) << manifests.error().message;
  EXPECT_EQ(FindAt(TemplateOf(manifests->job),
                   {"spec", "containers", "main", "volumeMounts", "/data/a.csv"}),
            nullptr);
}

TEST(KubernetesManifest, RejectsInvalidJobId) {
  record::Record record = SampleRecord();
  record.id = "Not_A_Label";
  EXPECT_NE(ErrorOf(SampleRequest(record), ErrorCode::kInvalidArgument).find("Not_A_Label"),
            std::string::npos);
}

TEST(KubernetesManifest, RejectsAcceleratorIndexOutOfRange) {
  record::Record record = SampleRecord();
  ManifestRequest request = SampleRequest(record);
  request.accelerator = 1;
  ErrorOf(request, ErrorCode::kInvalidArgument);
  record.spec.accelerators = {*ParseAccelerator("v5p-16")};
  request.accelerator = 0;
  EXPECT_NE(ErrorOf(request, ErrorCode::kUnimplemented).find("v5p-16"), std::string::npos);
}

}  // namespace
}  // namespace kinetic::backend
