#include "e2e/pod_harness.h"
#include "record/object_names.h"
#include "store/open.h"
#include "support/bucket_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Returns the content of a model, which it downloads as huggingface_hub does, unless it is there.
constexpr std::string_view kProgram = R"(
import os, pathlib
def download(name="tiny", size=40_000_000):
    model = pathlib.Path(os.environ["HF_HOME"], "hub", f"models--org--{name}")
    link = model / "snapshots" / "c0ffee" / "model.safetensors"
    if link.exists():
        return ["found", link.read_bytes().count(b"w"), os.readlink(link), (model / "refs" / "main").read_text()]
    for folder in ("blobs", "refs", "snapshots/c0ffee"):
        (model / folder).mkdir(parents=True)
    part = model / "blobs" / "abc.incomplete"
    part.write_bytes(b"w" * size)
    part.rename(model / "blobs" / "abc")
    (model / "blobs" / "other.incomplete").write_text("half")
    (model / "refs" / "main").write_text("c0ffee")
    link.symlink_to("../../blobs/abc")
    pathlib.Path(os.environ["HF_HOME"], "token").write_text("hf_secret")
    pathlib.Path(os.environ["HF_HOME"], "stored_tokens").write_text("hf_secret")
    return "downloaded"
)";
constexpr const char* kFound = R"(["found",40000000,"../../blobs/abc","c0ffee"])";

/// Pods whose store is in a bucket of the Cloud Storage test server.
class PodDownloads : public ::testing::Test {
 protected:
  PodDownloads() : kube_(OpenStore(), Cloud()) {}

  std::unique_ptr<store::Store> OpenStore() {
    store::Access access{.fs = PosixFileSystem(), .clock = SystemClock()};
    access.connect = [this](const std::stop_token&) -> Result<std::shared_ptr<http::Transport>> {
      return bucket_.Connect();
    };
    access.gcs.endpoint = bucket_.Url();
    return store::Open("gs://bucket/team", access, {}).value();
  }
  CloudOptions Cloud() {
    CloudOptions options;
    options.storage_endpoint = bucket_.Url();
    return options;
  }

  record::Record Job(const std::string& code = "def main(): return download()\n") {
    return kube_.FunctionJob(std::string(kProgram) + code);
  }
  /// Runs a job; returns its value as JSON.
  std::string Run(const record::Record& job, const Pod::Options& options = {}) {
    EXPECT_EQ(kube_.RunPod(job, options), 0) << kube_.last->Printed();
    return kube_.Outcome(job).outcome.value.ToJson();
  }
  std::vector<store::ObjectInfo> Mirrored() {
    return store::ListAll(kube_.store(), record::kDownloadPrefix, {}).value();
  }

  BucketServer bucket_{SystemClock()};
  PodHarness kube_;
};

TEST_F(PodDownloads, NextJobOfTheNameFindsTheFiles) {
  EXPECT_EQ(Run(Job()), "\"downloaded\"");
  EXPECT_THAT(kube_.last->Printed(), HasSubstr("stored 38.1 MiB of downloads for later jobs"));
  const auto second = Job();
  EXPECT_EQ(Run(second), kFound);
  EXPECT_THAT(kube_.Text(second, Stream::kSystem),
              HasSubstr("fetched 38.1 MiB of downloads of earlier jobs"));
  EXPECT_THAT(kube_.last->Printed(), HasSubstr("fetching 38.1 MiB of downloads of earlier jobs"));
  const auto moments = kube_.Outcome(second).moments;
  EXPECT_TRUE(std::ranges::any_of(moments, [](const auto& moment) {
    return moment.name == "fetched" && moment.detail == "38.1 MiB of downloads of earlier jobs";
  }));
}

TEST_F(PodDownloads, OtherNamesAndOwnersDoNot) {
  EXPECT_EQ(Run(Job()), "\"downloaded\"");
  auto named = Job();
  named.spec.name = "other";
  EXPECT_EQ(Run(named), "\"downloaded\"");
  auto owned = Job();
  owned.owner = "bo@laptop";
  EXPECT_EQ(Run(owned), "\"downloaded\"");
}

TEST_F(PodDownloads, TokensAndUnfinishedFilesAreNotStored) {
  (void)Run(Job());
  const auto objects = Mirrored();
  EXPECT_EQ(objects.size(), 3U);  // the manifest, the weights, refs/main
  for (const auto& object : objects) {
    if (object.size_bytes > 1'000'000) continue;
    const std::string content = kube_.Stored(object.name);
    EXPECT_THAT(content, Not(HasSubstr("hf_secret")));
    EXPECT_THAT(content, Not(HasSubstr("token")));
    EXPECT_THAT(content, Not(HasSubstr("incomplete")));
  }
}

TEST_F(PodDownloads, KilledProgramsStoreNothing) {
  const auto job =
      Job("import signal\n"
          "def main():\n"
          "    download()\n"
          "    os.kill(os.getpid(), signal.SIGKILL)\n");
  EXPECT_EQ(kube_.RunPod(job), 137);
  EXPECT_THAT(Mirrored(), IsEmpty());

  const auto stuck =
      Job("import time\n"
          "def main():\n"
          "    download()\n"
          "    print('begun', flush=True)\n"
          "    time.sleep(600)\n");
  const auto pod = kube_.StartPod(stuck);
  pod->StartLauncher();
  Eventually([&] { return pod->Output().find("begun") != std::string::npos; }, "it begins");
  pod->KillContainer();
  Eventually([&] { return !pod->PrintedEnd().empty(); }, "the collector ends");
  EXPECT_EQ(pod->EndCollector(), 0);
  EXPECT_THAT(Mirrored(), IsEmpty());
}

TEST_F(PodDownloads, FailedProgramsStoreTheirDownloads) {
  const auto failed = Job("def main(): download(); raise ValueError('bug')\n");
  EXPECT_EQ(kube_.RunPod(failed), 1);
  EXPECT_EQ(Run(Job()), kFound);
}

TEST_F(PodDownloads, JobRunsWithDamagedMirror) {
  (void)Run(Job());
  for (const auto& object : Mirrored()) {
    if (object.size_bytes < 1'000'000) continue;
    const std::string other(object.size_bytes, 'x');
    ASSERT_TRUE(store::Overwrite(kube_.store(), object.name, other, {}));
  }
  const auto job = Job();
  EXPECT_EQ(Run(job), "\"downloaded\"");
  EXPECT_THAT(kube_.Text(job, Stream::kSystem),
              HasSubstr("the downloads of earlier jobs were not fetched: "));
  EXPECT_EQ(Run(Job()), kFound);  // it was repaired
}

TEST_F(PodDownloads, ClientsDoNotWaitForTheMirror) {
  bucket_.server().faults().Add({.kind = gcs_server::FaultKind::kStallReply,
                                 .method = "GET",
                                 .path = "*prefix=team*downloads*",
                                 .times = 0,
                                 .stall = std::chrono::seconds(20)});
  const auto job = Job();
  const auto pod = kube_.StartPod(job);
  pod->StartLauncher();
  Eventually([&] { return !pod->PrintedEnd().empty(); }, "the outcome is known");
  EXPECT_FALSE(pod->Has("launcher-exit.json"));
  EXPECT_EQ(kube_.Outcome(job).outcome.value.ToJson(), "\"downloaded\"");
  bucket_.server().faults().Clear();
}

TEST_F(PodDownloads, JobSucceedsWithoutAccessToTheMirror) {
  for (const char* method : {"GET", "POST", "PUT"}) {
    bucket_.server().faults().Add({.kind = gcs_server::FaultKind::kAnswer,
                                   .method = method,
                                   .path = "*downloads*",
                                   .times = 0,
                                   .status = 403});
  }
  const auto job = Job();
  EXPECT_EQ(Run(job), "\"downloaded\"");
  bucket_.server().faults().Clear();
  EXPECT_THAT(Mirrored(), IsEmpty());
}

TEST_F(PodDownloads, EnvironmentOfJobAndImageTakesPrecedence) {
  const std::string code = "def main(): return [os.environ['HF_HOME'], os.environ['KERAS_HOME']]\n";
  auto job = Job(code);
  job.spec.env["KERAS_HOME"] = "/own";
  EXPECT_EQ(Run(job, {.environment = {{"HF_HOME", "/models"}, {"KERAS_HOME", "/image"}}}),
            R"(["/models","/own"])");
  EXPECT_THAT(Run(Job(code)), HasSubstr("/run/downloads/huggingface\""));
}

TEST_F(PodDownloads, JobWithDamagedBundleEndsDuringTheFetch) {
  EXPECT_EQ(Run(Job()), "\"downloaded\"");
  auto job = Job();
  job.tree = Sha256::Of("missing");
  bucket_.server().faults().Add({.kind = gcs_server::FaultKind::kStallReply,
                                 .method = "GET",
                                 .path = "*downloads*alt=media*",
                                 .skip = 1,  // the manifest
                                 .times = 0,
                                 .stall = std::chrono::seconds(60)});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_NE(kube_.RunPod(job), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  bucket_.server().faults().Clear();
}

TEST_F(PodDownloads, FirstTaskStores) {
  auto job = Job();
  job.spec.array = ArraySpec{.count = 2};
  kube_.task = 1;
  EXPECT_EQ(kube_.RunPod(job), 0);
  EXPECT_THAT(Mirrored(), IsEmpty());
  kube_.task = 0;
  EXPECT_EQ(kube_.RunPod(job), 0);
  EXPECT_EQ(Mirrored().size(), 3U);
}

}  // namespace
}  // namespace kinetic::test
