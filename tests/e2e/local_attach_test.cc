#include "local_project.h"

#include <gmock/gmock.h>

#include <future>

namespace kinetic {
namespace {

using test::LocalProject;
using test::Must;
using test::ReadLog;
using ::testing::ElementsAre;
using ::testing::SizeIs;

class LocalAttach : public ::testing::Test {
 protected:
  LocalProject project_;
};

/// 20,000 numbered lines in two halves. The second half waits for a file.
constexpr std::string_view kCounting =
    "import os, sys, time\n"
    "def f(gate):\n"
    "  for i in range(20000):\n"
    "    if i == 10000:\n"
    "      while not os.path.exists(gate):\n"
    "        time.sleep(0.01)\n"
    "    print(i, file=sys.stderr if i % 3 == 0 else sys.stdout)\n"
    "  return 'counted'\n";

TEST_F(LocalAttach, LateFollowersReceiveTheSameLog) {
  project_.Write("m.py", kCounting);
  const Path gate = project_.files() / "gate";
  Client client = project_.Open();
  const Job job = Must(client.Submit(
      project_.Job("function: m:f\nargs: {gate: " + gate.native() + "}\ndependencies: null\n"),
      {}));
  const auto follow = [&](std::uint64_t from) {
    return std::async(std::launch::async, [this, &job, from] {
      Client other = project_.Open();
      return ReadLog(Must(other.Find(job.id())), {.follow = true, .from_sequence = from});
    });
  };
  auto early = follow(0);
  ASSERT_TRUE(test::Eventually([&] { return ReadLog(job, {}).size() == 10000; }));
  auto late = follow(0);
  auto middle = follow(9990);
  project_.files().Write("gate", "");
  EXPECT_EQ(Must(job.Wait()).value.ToJson(), "\"counted\"");

  const auto lines = early.get();
  ASSERT_THAT(lines, SizeIs(20000));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string number = std::to_string(i);
    ASSERT_EQ(lines[i].substr(0, number.size()), number);
  }
  EXPECT_EQ(late.get(), lines);
  EXPECT_THAT(middle.get(), SizeIs(10010));
  EXPECT_EQ(ReadLog(job, {}), lines) << "from the store alone";
  EXPECT_THAT(ReadLog(job, {.tail = 3}), ElementsAre(lines[19997], lines[19998], lines[19999]));
}

TEST_F(LocalAttach, FollowsTailOfRunningJob) {
  const Path gate = project_.files() / "gate";
  Client client = project_.Open();
  const Job job =
      Must(client.Submit(project_.Job("name: tail\nrun: echo a; echo b; echo c; until test -e " +
                                      gate.native() + "; do sleep 0.02; done; echo d\n"),
                         {}));
  ASSERT_TRUE(test::Eventually([&] { return ReadLog(job, {}).size() == 3; }));
  EXPECT_THAT(ReadLog(job, {.tail = 2}), ElementsAre("1o b\n", "2o c\n"));
  auto followed =
      std::async(std::launch::async, [&] { return ReadLog(job, {.follow = true, .tail = 1}); });
  project_.files().Write("gate", "");
  EXPECT_THAT(followed.get(), ::testing::Contains("3o d\n"));
  (void)Must(job.Wait());
}

TEST_F(LocalAttach, StoppingTheFollowerLeavesJobRunning) {
  const Path gate = project_.files() / "gate";
  Client client = project_.Open();
  const Job job = Must(client.Submit(project_.Job("name: go-on\nrun: echo a; until test -e " +
                                                  gate.native() + "; do sleep 0.02; done\n"),
                                     {}));
  std::stop_source source;
  const auto logs =
      job.Logs({.follow = true, .stop = source.get_token()}, [&](const LogRecord&) -> Status {
        source.request_stop();
        return {};
      });
  ASSERT_FALSE(logs);
  EXPECT_EQ(logs.error().code, ErrorCode::kCancelled);
  const auto waited = job.Wait({.stop = source.get_token()});
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code, ErrorCode::kCancelled);
  EXPECT_FALSE(*job.Collect());
  project_.files().Write("gate", "");
  EXPECT_EQ(Must(Must(project_.Open().Find(job.id())).Wait()).state, JobState::kSucceeded);
}

TEST_F(LocalAttach, JobOutlivesItsClient) {
  std::string id;
  {
    Client client = project_.Open();
    id = Must(client.Submit(project_.Job("name: outlive\nrun: sleep 0.2; echo still here\n"), {}))
             .id();
  }
  Client other = project_.Open();
  const Job job = Must(other.Find(id));
  EXPECT_EQ(Must(job.Wait()).state, JobState::kSucceeded);
  EXPECT_THAT(ReadLog(job, {}), ElementsAre("0o still here\n"));
}

}  // namespace
}  // namespace kinetic
