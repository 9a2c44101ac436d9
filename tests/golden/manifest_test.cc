#include "kinetic/job_file.h"

#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/nodes/provisioning.h"
#include "base/files/file_system.h"
#include "support/source_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace kinetic::backend {
namespace {

Path Folder() { return test::SourceFolder() / "tests/golden/manifest"; }

std::vector<std::string> Cases() {
  std::vector<std::string> names;
  const auto entries = PosixFileSystem().ReadDirectory(Folder());
  EXPECT_TRUE(entries);
  if (!entries) return names;
  for (const auto& entry : *entries) {
    const Path name = entry.name;
    if (name.extension() == ".yaml") names.push_back(name.stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Read(const std::string& name) {
  return ReadFile(PosixFileSystem(), Folder() / name, 1 << 20).value_or("");
}

record::Record RecordFor(const std::string& name) {
  const auto spec = ParseJobFile(Read(name + ".yaml"), name + ".yaml", {.directory = "/project"});
  EXPECT_TRUE(spec) << spec.error().message;
  record::Record record;
  record.id = "k7f3q2" + std::to_string(name.size());
  record.owner = "ana@laptop";
  record.nonce = "00112233445566778899aabbccddeeff";
  record.spec = spec.value_or(JobSpec{});
  for (const auto& limitation : CheckSpecForKubernetes(record.spec, {}, {})) {
    EXPECT_FALSE(limitation.refused) << limitation.key << ": " << limitation.reason;
  }
  return record;
}

/// Reads inputs that are not in the job file: fields of {case}.request.json.
void ReadRequest(const std::string& text, record::Record& record, ManifestRequest& request) {
  if (text.empty()) return;
  const auto json = Value::FromJson(text);
  ASSERT_TRUE(json) << json.error().message;
  for (const auto& [name, value] : *json->AsMap()) {
    ClusterProfile& cluster = request.cluster;
    if (name == "accelerator") request.accelerator = static_cast<std::size_t>(*value.AsInt());
    if (name == "restricted") request.restricted = *value.AsBool();
    if (name == "service_account") cluster.service_account = *value.AsString();
    if (name == "runner_credentials") cluster.runner_credentials = *value.AsString();
    if (name == "image") cluster.image = *value.AsString();
    if (name == "packages_in_memory") cluster.packages_in_memory = *value.AsBool();
    if (name == "packages_bytes") {
      record.environment = {Sha256::Of("packages"), "3.12", 10,
                            static_cast<std::uint64_t>(*value.AsInt())};
    }
    if (name != "secrets") continue;
    for (const auto& [variable, secret] : *value.AsMap()) {
      request.secrets[variable] = *secret.AsString();
      record.secret_names.push_back(variable);
    }
  }
}

std::string ManifestsFor(const std::string& name) {
  record::Record record = RecordFor(name);
  ManifestRequest request;
  request.record = &record;
  request.collect = {.job_id = record.id,
                     .record_sha256 = std::string(64, '5'),
                     .nonce = record.nonce,
                     .store = "gs://bucket/kinetic",
                     .cloud = {}};
  request.cluster.name_space = "default";
  request.cluster.runner_image = "ghcr.io/kinetic/runner:1";
  ReadRequest(Read(name + ".request.json"), record, request);
  const auto manifests = BuildManifests(request);
  EXPECT_TRUE(manifests) << manifests.error().message;
  if (!manifests) return {};
  Value::List items;
  if (manifests->secret) items.push_back(*manifests->secret);
  items.push_back(manifests->job);
  return Value(Value::Map{{"apiVersion", "v1"}, {"kind", "List"}, {"items", std::move(items)}})
             .ToJson(true) +
         "\n";
}

class Manifest : public testing::TestWithParam<std::string> {};

TEST_P(Manifest, MatchesGolden) {
  const Path expected = Folder() / (GetParam() + ".expected.json");
  const std::string manifests = ManifestsFor(GetParam());
  if (std::getenv("KINETIC_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), expected, manifests));
  }
  const auto written = ReadFile(PosixFileSystem(), expected, 1 << 20);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(manifests, *written);
}

INSTANTIATE_TEST_SUITE_P(Golden, Manifest, testing::ValuesIn(Cases()),
                         [](const auto& param_info) { return param_info.param; });

/// The provisioning Job of a case: {case}.provisioning.json.
class ProvisioningJob : public testing::TestWithParam<std::string> {};

TEST_P(ProvisioningJob, MatchesGolden) {
  const Path expected = Folder() / (GetParam() + ".provisioning.json");
  record::Record record = RecordFor(GetParam());
  ManifestRequest of_job;
  ReadRequest(Read(GetParam() + ".request.json"), record, of_job);
  ProvisioningJobRequest request{
      .node = {.spec = &record.spec, .image = ResolveImage(record.spec, of_job.cluster)},
      .cluster = of_job.cluster,
      .restricted = of_job.restricted,
      .digits = "k7f3q2"};
  request.cluster.name_space = "default";
  request.cluster.runner_image = "ghcr.io/kinetic/runner:1";
  const auto job = MakeProvisioningJob(request);
  ASSERT_TRUE(job) << job.error().message;
  const std::string text = job->ToJson(true) + "\n";
  if (std::getenv("KINETIC_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), expected, text));
  }
  const auto written = ReadFile(PosixFileSystem(), expected, 1 << 20);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_EQ(text, *written);
}

INSTANTIATE_TEST_SUITE_P(Golden, ProvisioningJob,
                         testing::Values("pod", "profile", "restricted", "second_choice",
                                         "spot_retry", "tpu"),
                         [](const auto& param_info) { return param_info.param; });

}  // namespace
}  // namespace kinetic::backend
