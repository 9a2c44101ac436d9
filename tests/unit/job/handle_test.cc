#include "job/handle.h"

#include "kinetic/client.h"
#include "kinetic/datasets.h"
#include "kinetic/testing.h"

#include <gtest/gtest.h>

#include <utility>

namespace kinetic {
namespace {

class HandleDeathTest : public testing::Test {
 protected:
  // The client has threads, so that a test of its own process is necessary.
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

Result<Client> OpenTestClient() {
  return OpenFakeClient([](const JobSpec&) { return ScriptedJob::Return(3); });
}

TEST_F(HandleDeathTest, ClientThatWasMovedFrom) {
  Result<Client> client = OpenTestClient();
  ASSERT_TRUE(client) << client.error();
  const Client taken = *std::move(client);
  EXPECT_DEATH((void)client->List({}), "called with an object that was moved from: .*Client::List");
  EXPECT_DEATH((void)client->datasets(), "moved from: .*Client::datasets");
}

TEST_F(HandleDeathTest, JobThatWasMovedFrom) {
  Result<Client> client = OpenTestClient();
  ASSERT_TRUE(client) << client.error();
  Result<Job> job = client->Submit(JobSpec::Command({"true"}));
  ASSERT_TRUE(job) << job.error();
  const Job taken = *std::move(job);
  EXPECT_DEATH((void)job->id(), "called with an object that was moved from: .*Job::id");
  EXPECT_DEATH((void)job->Wait(), "moved from: .*Job::Wait");
  EXPECT_DEATH(job->OnDone({}), "moved from: .*Job::OnDone");
  EXPECT_DEATH((void)client->Remove(*job), "moved from: .*Client::Remove");
}

}  // namespace
}  // namespace kinetic
