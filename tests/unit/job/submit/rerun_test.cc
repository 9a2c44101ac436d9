#include "job/submit/rerun.h"

#include "base/hash/digest.h"
#include "job/submit/pipeline.h"
#include "job/summary.h"
#include "record/index.h"
#include "record/object_names.h"
#include "unit/job/fake_target.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace kinetic::job {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// A context whose store has the job "first", which ran in a cluster.
class RerunHarness {
 public:
  RerunHarness() {
    context_.files().Write("project/pyproject.toml", "");
    context_.files().Write("project/work", "echo\n", 0755);
    context_->options.cache_dir = context_.files() / "cache";
    context_->options.owner = "ana@laptop";
    context_.target().is_cluster = true;
    context_.target().base = backend::BaseImage{.image = "127.0.0.1:1/python:3.12",
                                                .python = "3.12",
                                                .platform = "linux-x86_64",
                                                .is_given = true};
    JobSpec spec;
    spec.name = "job";
    spec.directory = context_.files() / "project";
    spec.accelerators = {*ParseAccelerator("v5litepod-4")};
    spec.run = Command{.shell = "", .argv = {"./work"}};
    spec.dependencies = DependencySpec{.none = true};
    EXPECT_TRUE(SubmitJob(*context_, spec, {.id = "first"}, {}));
    std::filesystem::remove_all(context_.files() / "project");
  }

  test::FakeContext& context() { return context_; }
  Result<JobSummary> Rerun(const JobFileOptions& changes = {}) {
    return RerunJob(*context_, "first", changes, {.id = "again"}, {});
  }
  record::Record Recorded(const std::string& id) {
    return ReadRecord(context_.store(), id, {}).value().value();
  }
  std::optional<std::string> Object(const std::string& name) {
    return store::GetBytes(context_.store(), name, {}).value();
  }
  /// Reruns the job, which must fail and leave no trace of a new job.
  Error Refused(const JobFileOptions& changes = {}) {
    const auto rerun = Rerun(changes);
    EXPECT_FALSE(rerun);
    EXPECT_FALSE(ReadRecord(context_.store(), "again", {}).value());
    EXPECT_FALSE(context_.target().jobs.contains("again"));
    EXPECT_EQ(record::NewestJobs(context_.store(), 0, {}).value().size(), 1U);
    return rerun ? Error{} : rerun.error();
  }
  /// Replaces the record of the first job.
  void Change(const std::function<void(record::Record&)>& change) {
    record::Record record = Recorded("first");
    change(record);
    EXPECT_TRUE(store::Overwrite(context_.store(), record::RecordName("first"),
                                 record::ToJson(record), {}));
  }

 private:
  test::FakeContext context_;
};

TEST(Rerun, CopiesEnvironmentOfPod) {
  RerunHarness harness;
  const auto before = harness.Recorded("first");
  harness.Change([](record::Record& record) {
    record.manifest_key = Sha256::Of("manifest").Hex();
    record.environment_id = Sha256::Of("environment").Hex();
    record.environment_inputs = {{"accelerator", "tpu"}, {"python", "3.12"}};
    record.environment = {record.tree, "3.12", 10, 1000};  // a tree that exists
    record.compiled = Sha256::Of("compiled");
  });
  const auto rerun = harness.Rerun();
  ASSERT_TRUE(rerun) << rerun.error().message;
  const auto expected = harness.Recorded("first");
  const auto record = harness.Recorded("again");
  EXPECT_EQ(record.rerun_of, "first");
  EXPECT_EQ(record.tree, before.tree);
  EXPECT_EQ(record.manifest_key, expected.manifest_key);
  EXPECT_EQ(record.environment_id, expected.environment_id);
  EXPECT_EQ(record.environment_inputs, expected.environment_inputs);
  EXPECT_EQ(record.environment, expected.environment);
  EXPECT_EQ(record.compiled, Sha256::Of("ana@laptop\n" + record.environment_id));
  EXPECT_TRUE(harness.context().target().jobs.contains("again"));
}

TEST(Rerun, PackagesOfPodAreGone) {
  RerunHarness harness;
  harness.Change([](record::Record& record) {
    record.environment = {Sha256::Of("gone"), "3.12", 10, 1000};
    record.git = record::GitState{std::string(40, 'a'), "main"};
  });
  const auto rerun = harness.Rerun();
  ASSERT_FALSE(rerun);
  EXPECT_EQ(rerun.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(rerun.error().message, "cannot rerun job first: the store no longer has its packages");
  EXPECT_THAT(rerun.error().hint, HasSubstr("its commit is " + std::string(40, 'a')));
  EXPECT_FALSE(ReadRecord(harness.context().store(), "again", {}).value());
}

TEST(Rerun, CodeOfPodIsGone) {
  RerunHarness harness;
  const std::string tree = harness.Recorded("first").tree.Hex();
  ASSERT_TRUE(std::filesystem::remove(harness.context().files() / "store/trees" / tree));
  const Error error = harness.Refused();
  EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(error.message, "cannot rerun job first: the store no longer has its code");
  EXPECT_EQ(error.hint, "submit the job from its files with 'kinetic run'");
}

TEST(Rerun, DataOfPodIsGone) {
  RerunHarness harness;
  harness.Change([](record::Record& record) { record.data["/set"] = {Sha256::Of("gone"), false}; });
  EXPECT_EQ(harness.Refused().message,
            "cannot rerun job first: the store no longer has the data of /set");
}

TEST(Rerun, CopiesListingOfBucketData) {
  RerunHarness harness;
  const std::string listing = "objects of a bucket";
  const Digest digest = Sha256::Of(listing);
  harness.Change([&](record::Record& record) { record.listed_data["/set"] = {digest, 1, 19}; });
  const auto before = harness.Recorded("first");
  const std::string name = record::DataListingName("first", before.nonce, digest);
  EXPECT_EQ(harness.Refused().code, ErrorCode::kDataLoss);
  ASSERT_TRUE(store::Overwrite(harness.context().store(), name, listing, {}));
  const auto rerun = harness.Rerun();
  ASSERT_TRUE(rerun) << rerun.error().message;
  const auto record = harness.Recorded("again");
  EXPECT_EQ(record.listed_data, before.listed_data);
  EXPECT_EQ(harness.Object(record::DataListingName("again", record.nonce, digest)), listing);
}

TEST(Rerun, ChangesKeysOfPod) {
  RerunHarness harness;
  std::map<std::string, std::string> secrets;
  harness.context().target().before_start = [&](const backend::Launch& launch) -> Status {
    secrets = launch.secrets;
    return {};
  };
  harness.context()->options.environment = {{"TOKEN", "correct-horse"}};
  const auto rerun = harness.Rerun({.set = {"resources.memory=2Gi", "run=[./work, -v]"},
                                    .env = {"MODE=slow"},
                                    .secrets = {"TOKEN"},
                                    .directory = "/"});
  ASSERT_TRUE(rerun) << rerun.error().message;
  const auto before = harness.Recorded("first");
  const auto record = harness.Recorded("again");
  EXPECT_EQ(record.tree, before.tree);
  EXPECT_EQ(record.spec.resources.memory_bytes, 2U << 30);
  EXPECT_THAT(record.spec.run->argv, ElementsAre("./work", "-v"));
  EXPECT_THAT(record.spec.env, UnorderedElementsAre(Pair("MODE", "slow")));
  EXPECT_THAT(record.secret_names, ElementsAre("TOKEN"));
  EXPECT_THAT(secrets, UnorderedElementsAre(Pair("TOKEN", "correct-horse")));
  EXPECT_EQ(record.spec.accelerators.front().name, before.spec.accelerators.front().name);
}

TEST(Rerun, SecretThatIsNotSet) {
  RerunHarness harness;
  EXPECT_THAT(harness.Refused({.secrets = {"TOKEN"}, .directory = "/"}).message,
              HasSubstr("secrets: not set in the environment: TOKEN"));
}

TEST(Rerun, SameIdAttaches) {
  RerunHarness harness;
  ASSERT_TRUE(harness.Rerun());
  const std::string nonce = harness.Recorded("again").nonce;
  const auto repeated = harness.Rerun();
  ASSERT_TRUE(repeated) << repeated.error().message;
  EXPECT_EQ(harness.Recorded("again").nonce, nonce);
  const auto other = harness.Rerun({.set = {"run=[ls]"}, .directory = "/"});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kAlreadyExists);
}

TEST(Rerun, ClusterRejectsJob) {
  RerunHarness harness;
  harness.context().target().before_start = [](const backend::Launch&) -> Status {
    return Fail(ErrorCode::kFailedPrecondition, "no quota");
  };
  EXPECT_THAT(harness.Refused().message, HasSubstr("no quota"));
  harness.context().target().preflight = [](const std::stop_token&) -> Status {
    return Fail(ErrorCode::kPermissionDenied, "cannot create jobs");
  };
  EXPECT_THAT(harness.Refused().message, HasSubstr("cannot create jobs"));
}

TEST(Rerun, AcceleratorOfSameKind) {
  RerunHarness harness;
  harness.Change(
      [](record::Record& record) { record.environment_inputs = {{"accelerator", "tpu"}}; });
  const auto rerun = harness.Rerun({.set = {"accelerator=v5litepod-8"}, .directory = "/"});
  ASSERT_TRUE(rerun) << rerun.error().message;
  EXPECT_EQ(harness.Recorded("again").spec.accelerators.front().name, "v5litepod-8");
  const auto other = harness.Rerun({.set = {"accelerator=gpu-l4"}, .directory = "/"});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "--set accelerator: the packages of job first are for tpu, not for gpu");
}

TEST(Rerun, TargetOfOtherKind) {
  RerunHarness harness;
  harness.context().target().base.reset();
  harness.context()->options.profile.name = "local";
  const auto here = harness.Rerun();
  ASSERT_FALSE(here);
  EXPECT_THAT(here.error().message, HasSubstr("it ran in a cluster, but profile local runs jobs on "
                                              "this machine"));
  harness.Change([](record::Record& record) { record.target_identity = "local:laptop:/x"; });
  EXPECT_TRUE(harness.Rerun());
}

TEST(Rerun, JobThatWasRemoved) {
  RerunHarness harness;
  const auto rerun = RerunJob(*harness.context(), "nope", {}, {}, {});
  ASSERT_FALSE(rerun);
  EXPECT_EQ(rerun.error().message, "cannot rerun job nope: it has been removed");
}

}  // namespace
}  // namespace kinetic::job
