#include "local_project.h"

#include <gmock/gmock.h>

#include <filesystem>

namespace kinetic {
namespace {

using test::LocalProject;
using test::Must;
using ::testing::HasSubstr;

class LocalRerun : public ::testing::Test {
 protected:
  LocalRerun() : client_(project_.Open()) {
    project_.Write("m.py", "def f(x, y):\n  return [x, y]\n");
    const JobSpec spec = project_.Job("function: m:f\nargs: {x: 1, y: 2}\ndependencies: null\n");
    const Job first = Must(client_.Submit(spec, {.id = "first"}));
    EXPECT_EQ(Must(first.Wait()).value.ToJson(), "[1,2]");
  }

  Result<Job> Rerun(std::vector<std::string> set = {}) {
    JobFileOptions changes;
    changes.set = std::move(set);
    changes.directory = project_.Root();
    return client_.Rerun(Must(client_.Find("first")), changes, {.id = "again"});
  }
  std::string ValueOf(Result<Job> job) { return Must(Must(std::move(job)).Wait()).value.ToJson(); }
  /// Reruns the job, which must fail before a new job exists.
  Error Refused(std::vector<std::string> set = {}) {
    const auto rerun = Rerun(std::move(set));
    EXPECT_FALSE(rerun);
    EXPECT_EQ(Must(client_.List({})).size(), 1U);
    return rerun ? Error{} : rerun.error();
  }

  LocalProject project_;
  Client client_;
};

TEST_F(LocalRerun, RepeatsJob) {
  EXPECT_EQ(ValueOf(Rerun()), "[1,2]");
  const JobDifference difference =
      Must(client_.CompareJobs(Must(client_.Find("first")), Must(client_.Find("again"))));
  EXPECT_TRUE(difference.is_rerun);
  EXPECT_TRUE(difference.IsSameJob());
}

TEST_F(LocalRerun, ChangesOneArgument) {
  EXPECT_EQ(ValueOf(Rerun({"args.x=5"})), "[5,2]");
  const JobDifference difference =
      Must(client_.CompareJobs(Must(client_.Find("first")), Must(client_.Find("again"))));
  ASSERT_EQ(difference.arguments.size(), 1U);
  EXPECT_EQ(difference.arguments[0].now, "5");
}

TEST_F(LocalRerun, RunsRecordedCode) {
  project_.Write("m.py", "def f(x, y):\n  return 'new code'\n");
  EXPECT_EQ(ValueOf(Rerun()), "[1,2]");
}

TEST_F(LocalRerun, NeedsNoFiles) {
  std::filesystem::remove_all(project_.Root());
  EXPECT_EQ(ValueOf(Rerun()), "[1,2]");
}

TEST_F(LocalRerun, BundleThatWasRemoved) {
  std::filesystem::remove_all(project_.Store() / "trees");
  const Error error = Refused();
  EXPECT_EQ(error.code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(error.message, "cannot rerun job first: the store no longer has its code");
  EXPECT_THAT(error.hint, HasSubstr("kinetic run"));
}

TEST_F(LocalRerun, KeysThatCannotBeChanged) {
  EXPECT_THAT(Refused({"resource.cpu=1"}).message,
              HasSubstr("--set resource.cpu: unknown key \"resource\"; did you mean resources?"));
  const Error error = Refused({"dependencies=requirements.txt"});
  EXPECT_EQ(error.message, "--set dependencies: dependencies of an earlier job cannot be changed");
  EXPECT_THAT(error.hint, HasSubstr("keys that can be changed: accelerator, args, env, "));
}

}  // namespace
}  // namespace kinetic
