#include "local_project.h"

#include <gmock/gmock.h>

namespace kinetic {
namespace {

using test::LocalProject;
using test::Must;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kJob = "function: m:f\nargs: {x: 1}\ndependencies: null\n";

class LocalSubmit : public ::testing::Test {
 protected:
  LocalSubmit() : client_(project_.Open()) { project_.Write("m.py", "def f(x):\n  return x\n"); }

  Result<Job> Submit(std::string_view job_file, const SubmitOptions& options = {}) {
    return client_.Submit(project_.Job(job_file), options);
  }
  /// Returns the error of a submission, which must leave no trace of a job.
  Error Refused(std::string_view job_file, const SubmitOptions& options = {}) {
    const auto submitted = Submit(job_file, options);
    EXPECT_FALSE(submitted);
    EXPECT_THAT(test::Objects(project_.Store()), Not(Contains(StartsWith("jobs/"))));
    EXPECT_THAT(test::Objects(project_.Store()), Not(Contains(StartsWith("trees/"))));
    return submitted ? Error{} : submitted.error();
  }

  LocalProject project_;
  Client client_;
};

TEST_F(LocalSubmit, SameIdWithSameJobAttaches) {
  const Job first = Must(Submit(kJob, {.id = "mine"}));
  EXPECT_EQ(Must(first.Wait()).value.ToJson(), "1");
  const Job second = Must(Submit(kJob, {.id = "mine"}));
  EXPECT_EQ(second.id(), "mine");
  EXPECT_EQ(Must(second.Wait()).value.ToJson(), "1");
  EXPECT_EQ(Must(client_.List({})).size(), 1U);
}

TEST_F(LocalSubmit, SameIdWithAnotherJobReportsDifference) {
  const Job first = Must(Submit(kJob, {.id = "mine"}));
  const auto other = Submit("function: m:f\nargs: {x: 2}\ndependencies: null\n", {.id = "mine"});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, ErrorCode::kAlreadyExists);
  EXPECT_THAT(other.error().message, HasSubstr("args.x: 1 before, 2 now"));

  project_.Write("m.py", "def f(x):\n  return x + 1\n");
  const auto edited = Submit(kJob, {.id = "mine"});
  ASSERT_FALSE(edited);
  EXPECT_THAT(edited.error().message, HasSubstr("differs in code"));
  (void)Must(first.Wait());
}

TEST_F(LocalSubmit, RejectsInvalidId) {
  for (const char* id : {"../x", "UPPER", "a b", "-a", "x/y"}) {
    EXPECT_EQ(Refused(kJob, {.id = id}).code, ErrorCode::kInvalidArgument) << id;
    EXPECT_FALSE(client_.Find(id)) << id;
  }
}

TEST_F(LocalSubmit, DryRunStoresNothing) {
  const auto before = test::Objects(project_.Store());
  const Plan plan = Must(client_.Prepare(project_.Job(kJob), {}));
  EXPECT_EQ(plan.target, "local");
  EXPECT_EQ(plan.bundle.entries.size(), 1U);
  EXPECT_EQ(plan.tree_digest.size(), 64U);
  EXPECT_EQ(plan.environment.manifest_key.size(), 64U);
  ASSERT_NE(plan.record.Find("spec"), nullptr);
  EXPECT_THAT(plan.objects, Contains("trees/" + plan.tree_digest));
  EXPECT_EQ(test::Objects(project_.Store()), before);
  EXPECT_THAT(Must(client_.List({})), IsEmpty());

  const Job job = Must(Submit(kJob));
  const auto record = project_.files().Read("store/jobs/" + job.id() + "/record.json");
  EXPECT_THAT(record, HasSubstr(plan.tree_digest));
  EXPECT_THAT(Must(client_.Prepare(project_.Job(kJob), {})).objects,
              Not(Contains("trees/" + plan.tree_digest)));
  (void)Must(job.Wait());
}

TEST_F(LocalSubmit, LockedOptionNeedsLock) {
  project_.Write("requirements.txt", "a-package-that-nobody-locked==1\n");
  const Error error = Refused("function: m:f\nargs: {x: 1}\n", {.locked = true});
  EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
  const auto plan =
      client_.Prepare(project_.Job("function: m:f\nargs: {x: 1}\n"), {.locked = true});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(LocalSubmit, ReportsLocationOfSyntaxError) {
  project_.Write("m.py", "def f(x):\n  return x +\n");
  const Error error = Refused(kJob);
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, StartsWith("m.py:2:"));
  EXPECT_THAT(error.message, HasSubstr("return x +"));
}

TEST_F(LocalSubmit, RejectsUnknownFunctionWithSuggestion) {
  project_.Write("m.py", "def train(x):\n  return x\n");
  const Error error = Refused("function: m:tran\nargs: {x: 1}\ndependencies: null\n");
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("did you mean train?"));
  EXPECT_EQ(error.hint, "m.py defines train");
}

TEST_F(LocalSubmit, RejectsUnknownModule) {
  const auto submitted = Submit("function: modul:f\ndependencies: null\n");
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(submitted.error().message, HasSubstr("modul is neither in the bundle"));
  EXPECT_THAT(Must(client_.List({})), IsEmpty());
}

TEST_F(LocalSubmit, AcceptsModuleOfStandardLibrary) {
  const Job job = Must(Submit("function: operator:add\nargs: [1, 2]\ndependencies: null\n"));
  EXPECT_EQ(Must(job.Wait()).value.ToJson(), "3");
}

TEST_F(LocalSubmit, ReportsAllUnsupportedKeys) {
  const Error error = Refused("function: m:f\nslices: 2\naccelerator: gpu-l4\n");
  EXPECT_EQ(error.code, ErrorCode::kUnimplemented);
  EXPECT_THAT(error.message, HasSubstr("accelerator: "));
  EXPECT_THAT(error.message, HasSubstr("slices: "));
  EXPECT_THAT(error.message, HasSubstr("job.yaml:2:"));
}

TEST_F(LocalSubmit, RejectsUnsetSecret) {
  const Error error = Refused("function: m:f\nsecrets: [KAGGLE_API_TOKEN]\ndependencies: null\n");
  EXPECT_EQ(error.code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("KAGGLE_API_TOKEN"));
}

TEST_F(LocalSubmit, MissingRunnerLeavesNoJob) {
  ClientOptions options = project_.Options();
  options.runner = project_.files() / "absent";
  Client client = Must(Client::Open(options));
  const auto submitted = client.Submit(project_.Job(kJob), {.id = "again"});
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(Must(client_.List({})), IsEmpty());
  EXPECT_EQ(Must(Must(Submit(kJob, {.id = "again"})).Wait()).value.ToJson(), "1");
}

TEST_F(LocalSubmit, ReportsChangesSinceLastJob) {
  (void)Must(Must(Submit(kJob)).Wait());
  project_.Write("m.py", "def f(x):\n  return -x\n");
  project_.Write("new.py", "");
  const auto difference = Must(client_.DiffBundle(project_.Job(kJob), ""));
  ASSERT_EQ(difference.changes.size(), 2U);
  EXPECT_EQ(difference.changes[0].path, "m.py");
  EXPECT_EQ(difference.changes[0].kind, BundleChange::Kind::kModified);
  EXPECT_EQ(difference.changes[1].path, "new.py");
  EXPECT_EQ(difference.changes[1].kind, BundleChange::Kind::kAdded);
}

TEST_F(LocalSubmit, StopRequestEndsSubmission) {
  std::stop_source source;
  source.request_stop();
  const auto submitted = client_.Submit(project_.Job(kJob), {.stop = source.get_token()});
  ASSERT_FALSE(submitted);
  EXPECT_EQ(submitted.error().code, ErrorCode::kCancelled);
  EXPECT_THAT(Must(client_.List({})), IsEmpty());
}

}  // namespace
}  // namespace kinetic
