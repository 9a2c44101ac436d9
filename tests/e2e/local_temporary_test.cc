#include "kinetic/testing.h"

#include "local_project.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

namespace kinetic::test {
namespace {

TEST(TemporaryClientTest, RunsJobsApartFromOtherClients) {
  LocalProject project;
  project.Write("sum.py", "def add(a, b):\n    return a + b\n");
  Client client = Must(OpenTemporaryClient(project.Options()));
  const Job job = Must(client.Submit(project.Job("function: sum:add\nargs: [2, 3]\n")));
  EXPECT_EQ(Must(job.Wait()).As<int>().value(), 5);
  EXPECT_EQ(Must(client.List({})).size(), 1U);
  EXPECT_TRUE(Must(project.Open().List({})).empty());
  EXPECT_FALSE(std::filesystem::exists(project.StateDir() / "jobs" / job.id()));
}

TEST(TemporaryClientTest, DestructionEndsJobsAndRemovesTheFolder) {
  LocalProject project;
  const TempTree temporary;
  project.environment["TMPDIR"] = temporary.path().native();
  std::optional<Client> client = Must(OpenTemporaryClient(project.Options()));
  std::optional<Job> job = Must(client->Submit(project.Job(
      "run: trap 'exit 1' TERM; echo $$; while true; do sleep 0.1; done\ndependencies: null\n")));
  pid_t pid = 0;
  const auto has_started = [&] {
    (void)job->Logs({}, [&](const LogRecord& record) -> Status {
      pid = std::stoi(std::string(record.text));
      return {};
    });
    return pid != 0;
  };
  ASSERT_TRUE(Eventually(has_started));
  client.reset();
  EXPECT_EQ(::kill(pid, 0), 0);
  job.reset();
  EXPECT_NE(::kill(pid, 0), 0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(temporary.path()), {}), 0);
}

}  // namespace
}  // namespace kinetic::test
