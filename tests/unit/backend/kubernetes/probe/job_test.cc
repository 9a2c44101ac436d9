#include "backend/kubernetes/probe/run.h"
#include "kube/object.h"
#include "pod/store_probe_request.h"

#include <gmock/gmock.h>

namespace kinetic::backend {
namespace {

ProbeRequest RequestOf(const std::string& credentials) {
  ProbeRequest request{.store = "gs://bucket/jobs", .digits = "abc"};
  request.cluster.name_space = "ml";
  request.cluster.service_account = "jobs";
  request.cluster.runner_image = "registry/runner:1";
  request.cluster.runner_credentials = credentials;
  return request;
}

const Value& First(const Value& job, std::string_view field) {
  return kube::At(job, {"spec", "template", "spec", field})->AsList()->front();
}

TEST(ProbeJob, RunsTheRunnerImageAsTheAccountOfJobs) {
  const Value job = MakeProbeJob(RequestOf("metadata"), std::chrono::seconds{60});
  EXPECT_EQ(kube::NameOf(job), "kinetic-probe-abc");
  EXPECT_EQ(kube::TextAt(job, {"spec", "template", "spec", "serviceAccountName"}), "jobs");
  EXPECT_EQ(kube::TextAt(First(job, "containers"), {"image"}), "registry/runner:1");
  EXPECT_EQ(kube::At(job, {"spec", "template", "spec", "volumes"}), nullptr);
  // Not a job: `kinetic ps` lists Jobs with this label.
  EXPECT_EQ(kube::At(job, {"metadata", "labels", "kinetic.dev/job-id"}), nullptr);
}

TEST(ProbeJob, MountsTheCredentialOfASecret) {
  const Value job = MakeProbeJob(RequestOf("secret:key"), std::chrono::seconds{60});
  EXPECT_EQ(kube::TextAt(First(job, "volumes"), {"secret", "secretName"}), "key");
}

TEST(ProbeJob, RequestSurvivesJson) {
  const auto request = pod::StoreProbeRequestFromJson(
      pod::ToJson(pod::StoreProbeRequest{.store = "gs://b/f", .cloud = {.quota_project = "p"}}));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->store, "gs://b/f");
  EXPECT_EQ(request->cloud.quota_project, "p");
  for (const char* invalid : {"", "[]", "{}", R"({"version":2,"store":"x","cloud":{}})"})
    EXPECT_FALSE(pod::StoreProbeRequestFromJson(invalid)) << invalid;
}

}  // namespace
}  // namespace kinetic::backend
