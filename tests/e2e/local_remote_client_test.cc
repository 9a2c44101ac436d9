#include "local/process_identity.h"
#include "local/runtime.h"
#include "local_project.h"
#include "record/log/objects.h"
#include "record/object_names.h"
#include "store/open.h"

#include <gmock/gmock.h>

#include <csignal>
#include <future>

namespace kinetic {
namespace {

using test::LocalProject;
using test::Must;
using test::ReadLog;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::SizeIs;

/// Jobs observed from a machine that shares only the store with theirs.
class LocalRemoteClient : public ::testing::Test {
 protected:
  Path Gate(std::string_view name) const { return project_.files() / name; }
  void OpenGate(std::string_view name) const { project_.files().Write(std::string(name), ""); }
  /// Returns a line of shell that waits for a gate.
  std::string AwaitGate(std::string_view name) const {
    return "until test -e " + Gate(name).native() + "; do sleep 0.02; done; ";
  }

  std::vector<std::string> LogObjects(const std::string& id) const {
    const auto store =
        Must(store::Open(project_.Store().native(), {PosixFileSystem(), SystemClock()}, {}));
    std::vector<std::string> names;
    for (const auto& object : Must(record::ListLog(*store, {id, {}}, {})).objects) {
      names.push_back(object.info.name);
    }
    return names;
  }

  LocalProject project_;
};

TEST_F(LocalRemoteClient, RemoteFollowerReceivesEveryRecordOnce) {
  Client client = project_.Open();
  const Job job = Must(client.Submit(
      project_.Job("name: far\nrun: \"echo one; " + AwaitGate("a") + "echo two >&2; " +
                   AwaitGate("b") + "seq 3 10000; " + AwaitGate("c") + "echo last\"\n"),
      {}));
  Client other = project_.OpenOnOtherMachine();
  const Job seen = Must(other.Find(job.id()));
  std::vector<std::string> lines;
  const auto read = seen.Logs({.follow = true}, [&](const LogRecord& record) -> Status {
    EXPECT_EQ(record.sequence, lines.size());
    lines.emplace_back(record.text);
    if (lines.size() == 1) OpenGate("a");
    if (lines.size() == 2) OpenGate("b");
    if (lines.size() == 10000) OpenGate("c");
    return {};
  });
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_THAT(lines, SizeIs(10001));
  EXPECT_EQ(lines[1], "two\n");
  EXPECT_EQ(lines[9999], "10000\n");
  EXPECT_EQ(lines.back(), "last\n");
  EXPECT_THAT(LogObjects(job.id()), SizeIs(1));
  EXPECT_EQ(Must(seen.Wait()).state, JobState::kSucceeded);
}

TEST_F(LocalRemoteClient, RemoteClientWaitsForEndAndReadsTail) {
  Client client = project_.Open();
  const Job job = Must(client.Submit(
      project_.Job("name: far\nrun: \"seq 100; " + AwaitGate("a") + "exit 3\"\n"), {}));
  Client other = project_.OpenOnOtherMachine();
  const Job seen = Must(other.Find(job.id()));
  auto outcome = std::async(std::launch::async, [&] { return Must(seen.Wait()); });
  ASSERT_TRUE(test::Eventually([&] { return ReadLog(seen, {}).size() == 100; }));
  EXPECT_THAT(ReadLog(seen, {.tail = 2}), ElementsAre("98o 99\n", "99o 100\n"));
  const auto cancelled = seen.Cancel();
  ASSERT_FALSE(cancelled);
  EXPECT_EQ(cancelled.error().code, ErrorCode::kFailedPrecondition);
  OpenGate("a");
  EXPECT_EQ(outcome.get().exit_code, 3);
}

TEST_F(LocalRemoteClient, RemoteFollowerContinuesAfterKilledSupervisor) {
  Client client = project_.Open();
  const Job job = Must(client.Submit(
      project_.Job("name: far\nrun: \"seq 10; " + AwaitGate("a") + "seq 11 20; sleep 1000\"\n"),
      {}));
  Client other = project_.OpenOnOtherMachine();
  const Job seen = Must(other.Find(job.id()));
  std::promise<void> begun;
  auto followed = std::async(std::launch::async, [&] {
    std::vector<std::string> lines;
    const auto read = seen.Logs({.follow = true}, [&](const LogRecord& record) -> Status {
      lines.push_back(std::to_string(record.sequence) + " " + std::string(record.text));
      if (lines.size() == 10) begun.set_value();
      return {};
    });
    EXPECT_TRUE(read) << read.error().message;
    return lines;
  });
  begun.get_future().wait();
  OpenGate("a");
  ASSERT_TRUE(test::Eventually([&] { return ReadLog(job, {}).size() == 20; }));
  const auto runtime = local::RuntimeOf(project_.StateDir(), job.id());
  const auto identity = Must(local::SupervisorIdentityFromJson(
      Must(ReadFile(PosixFileSystem(), runtime.Supervisor(), 4096))));
  ASSERT_EQ(::kill(static_cast<pid_t>(identity.pid), SIGKILL), 0);
  ASSERT_TRUE(test::Eventually([&] { return !local::IsAlive(identity); }));
  EXPECT_TRUE(project_.Open().List({}));  // reconciles it
  const auto lines = followed.get();
  ASSERT_THAT(lines, SizeIs(20));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i], std::to_string(i) + " " + std::to_string(i + 1) + "\n");
  }
  EXPECT_EQ(Must(seen.Wait()).state, JobState::kLost);
}

TEST_F(LocalRemoteClient, CancelledJobStoresItsLog) {
  Client client = project_.Open();
  const Job job = Must(client.Submit(
      project_.Job("name: far\nrun: \"trap 'echo told; exit 7' TERM; echo begun; touch " +
                   Gate("b").native() + "; while :; do sleep 0.02; done\"\n"),
      {}));
  ASSERT_TRUE(test::Eventually([&] { return std::filesystem::exists(Gate("b")); }));
  ASSERT_TRUE(job.Cancel());
  Client other = project_.OpenOnOtherMachine();
  // The shell may report that its sleep was terminated.
  EXPECT_THAT(ReadLog(Must(other.Find(job.id())), {}), Contains(testing::EndsWith("o told\n")));
}

}  // namespace
}  // namespace kinetic
