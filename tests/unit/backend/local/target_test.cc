#include "backend/local/target.h"

#include "base/files/file_lock.h"
#include "local/process_identity.h"
#include "local/runtime.h"
#include "support/fake_clock.h"
#include "support/temp_tree.h"

#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace kinetic::backend {
namespace {

using test::TempTree;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A shell script that acts as a supervisor: it identifies itself, reports that it is ready, and
/// runs until it is cancelled.
constexpr std::string_view kSupervisor = R"sh(#!/bin/sh
cat >request.json
start=$(awk '{print $22}' /proc/$$/stat)
boot=$(cat /proc/sys/kernel/random/boot_id)
printf '{"version":1,"pid":%d,"start_time":%d,"boot_id":"%s","nonce":"0123456789abcdef"}' \
  $$ $start $boot >new
mv new supervisor.json
echo x >>starts
echo ready
exec >/dev/null 3>&-
while ! [ -e cancel ]; do sleep 0.02; done
)sh";

class LocalTargetTest : public ::testing::Test {
 protected:
  LocalTargetTest() {
    record_.id = "job-1";
    record_.nonce = "0123456789abcdef";
    runner_ = tree_.Write("runner", kSupervisor, 0755);
  }
  ~LocalTargetTest() override { (void)target().Cancel("job-1", {}); }

  Target& target() {
    if (!target_) {
      target_ = MakeLocalTarget({.state_dir = tree_ / "state",
                                 .runner = runner_,
                                 .store = tree_ / "store",
                                 .search_path = "/usr/local/bin:/usr/bin:/bin",
                                 .concurrency = 3},
                                PosixFileSystem(), clock_);
    }
    return *target_;
  }
  local::Runtime Runtime() const { return local::RuntimeOf(tree_ / "state", "job-1"); }

  Status Start() {
    const Launch launch{
        .record = &record_, .record_digest = Sha256::Of("x"), .secrets = {{"TOKEN", "s3cret"}}};
    return target().Start(launch, {});
  }

  static void MakeOld(const Path& folder) {
    ASSERT_TRUE(PosixFileSystem().SetModifiedTime(
        folder, std::chrono::system_clock::now() - std::chrono::minutes(1)));
  }

  pid_t SupervisorPid() {
    const auto json = ReadFile(PosixFileSystem(), Runtime().Supervisor(), 4096);
    return static_cast<pid_t>(local::SupervisorIdentityFromJson(json.value())->pid);
  }

  TempTree tree_;
  test::FakeClock clock_;
  record::Record record_;
  Path runner_;
  std::unique_ptr<Target> target_;
};

TEST_F(LocalTargetTest, LockHolderIsAliveInAnyPidNamespace) {
  FileSystem& fs = PosixFileSystem();
  ASSERT_TRUE(MakeDirectories(fs, Runtime().folder, 0700));
  ASSERT_TRUE(WriteFileAtomically(fs, Runtime().Supervisor(),
                                  ToJson(local::SupervisorIdentity{1, 1, "b", "n"}), 0600));
  {
    const auto lock = FileLock::Try(fs, Runtime().Lock());
    ASSERT_TRUE(lock && *lock);
    const auto observed = target().Observe("job-1", {});
    ASSERT_TRUE(observed && *observed);
    EXPECT_TRUE((*observed)->alive);
    EXPECT_THAT(target().Sweep({}).value(), IsEmpty());
  }
  const auto observed = target().Observe("job-1", {});
  ASSERT_TRUE(observed && *observed);
  EXPECT_FALSE((*observed)->alive);
}

TEST_F(LocalTargetTest, StartsJobOnce) {
  ASSERT_TRUE(Start());
  ASSERT_TRUE(Start());
  const auto observed = target().Observe("job-1", {});
  ASSERT_TRUE(observed && *observed);
  EXPECT_TRUE((*observed)->alive);
  EXPECT_EQ((*observed)->status.id, "job-1");
  EXPECT_EQ(tree_.Read("state/jobs/job-1/starts"), "x\n");
  EXPECT_EQ(std::filesystem::status(Runtime().folder).permissions(),
            std::filesystem::perms::owner_all);
}

TEST_F(LocalTargetTest, TwoClientsStartOneSupervisor) {
  target();  // created before the second thread starts
  {
    const std::jthread one([&] { EXPECT_TRUE(Start()); });
    EXPECT_TRUE(Start());
  }
  EXPECT_EQ(tree_.Read("state/jobs/job-1/starts"), "x\n");
}

TEST_F(LocalTargetTest, StopRequestEndsWaitForAnotherClient) {
  FileSystem& fs = PosixFileSystem();
  ASSERT_TRUE(MakeDirectories(fs, Runtime().folder, 0700));
  const auto starting = FileLock::Try(fs, Runtime().Starting());
  ASSERT_TRUE(starting && *starting);
  std::stop_source stop;
  stop.request_stop();
  const Launch launch{.record = &record_, .record_digest = Sha256::Of("x")};
  const Status started = target().Start(launch, stop.get_token());
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::kCancelled);
}

TEST_F(LocalTargetTest, PassesRequestToSupervisor) {
  ASSERT_TRUE(Start());
  const auto request = local::LaunchRequestFromJson(tree_.Read("state/jobs/job-1/request.json"));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->job_id, "job-1");
  EXPECT_EQ(request->record_sha256, Sha256::Of("x").Hex());
  EXPECT_EQ(request->concurrency, 3U);
  EXPECT_EQ(request->secrets.at("TOKEN"), "s3cret");
}

TEST_F(LocalTargetTest, CancelReturnsAfterSupervisorExit) {
  ASSERT_TRUE(Start());
  const pid_t pid = SupervisorPid();
  ASSERT_TRUE(target().Cancel("job-1", {}));
  EXPECT_FALSE(local::StartTime(pid));
  EXPECT_FALSE((*target().Observe("job-1", {}))->alive);
}

TEST_F(LocalTargetTest, WatchEndsWhenSupervisorIsKilled) {
  ASSERT_TRUE(Start());
  const pid_t pid = SupervisorPid();
  int calls = 0;
  bool alive = true;
  const auto watched = target().Watch("job-1",
                                      [&](const Observation& observation) -> Status {
                                        if (++calls == 1) ::kill(pid, SIGKILL);
                                        alive = observation.alive;
                                        return {};
                                      },
                                      {});
  ASSERT_TRUE(watched) << watched.error().message;
  EXPECT_EQ(calls, 2);
  EXPECT_FALSE(alive);
}

TEST_F(LocalTargetTest, WatchCanBeStopped) {
  ASSERT_TRUE(Start());
  std::stop_source source;
  const auto watched = target().Watch(
      "job-1",
      [&](const Observation&) -> Status {
        source.request_stop();
        return {};
      },
      source.get_token());
  ASSERT_FALSE(watched);
  EXPECT_EQ(watched.error().code, ErrorCode::kCancelled);
}

TEST_F(LocalTargetTest, UnknownJobIsNullopt) {
  EXPECT_FALSE(*target().Observe("other", {}));
  EXPECT_TRUE(target().Cancel("other", {}));
  EXPECT_TRUE(target().Remove("other", {}));
}

TEST_F(LocalTargetTest, RemovesOnlyEndedJobs) {
  ASSERT_TRUE(Start());
  const auto removed = target().Remove("job-1", {});
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, ErrorCode::kFailedPrecondition);
  ASSERT_TRUE(target().Cancel("job-1", {}));
  ASSERT_TRUE(target().Remove("job-1", {}));
  EXPECT_FALSE(std::filesystem::exists(Runtime().folder));
}

TEST_F(LocalTargetTest, SweepFindsDeadSupervisorsOnly) {
  ASSERT_TRUE(Start());
  EXPECT_THAT(*target().Sweep({}), IsEmpty());
  const pid_t pid = SupervisorPid();
  ::kill(pid, SIGKILL);
  ASSERT_TRUE(target().Watch("job-1", [](const Observation&) { return Status(); }, {}));
  const auto lost = target().Sweep({});
  ASSERT_TRUE(lost);
  ASSERT_THAT(*lost, SizeIs(1));
  EXPECT_EQ(lost->front().id, "job-1");
  EXPECT_THAT(lost->front().evidence, HasSubstr(std::to_string(pid)));
}

TEST_F(LocalTargetTest, SweepLocatesOutcome) {
  std::filesystem::create_directories(Runtime().folder);
  MakeOld(Runtime().folder);
  EXPECT_EQ(target().Sweep({})->front().outcome_location, "");
  tree_.Write("state/jobs/job-1/outcome.json", "{}");
  MakeOld(Runtime().folder);
  EXPECT_EQ(target().Sweep({})->front().outcome_location, Runtime().folder.native());
}

TEST_F(LocalTargetTest, SweepKeepsNewFolder) {
  std::filesystem::create_directories(Runtime().folder);
  EXPECT_THAT(*target().Sweep({}), IsEmpty());
  clock_.Jump(std::chrono::hours(24 * 400));
  EXPECT_THAT(*target().Sweep({}), IsEmpty()) << "the clock of this machine does not count";
  MakeOld(Runtime().folder);
  const auto lost = target().Sweep({});
  ASSERT_THAT(*lost, SizeIs(1));
  EXPECT_THAT(lost->front().evidence, HasSubstr("never started"));
}

TEST_F(LocalTargetTest, SweepFindsSupervisorThatDidNotStart) {
  ASSERT_TRUE(Start()) << "the client does not wait for later supervisors";
  tree_.Write("runner", "#!/bin/sh\nexec >/dev/null; echo no memory >&2; exit 1\n", 0755);
  record_.id = "job-2";
  ASSERT_TRUE(Start());
  ASSERT_TRUE(target().Watch("job-2", [](const Observation&) { return Status(); }, {}));
  const auto lost = target().Sweep({});
  ASSERT_TRUE(lost);
  ASSERT_THAT(*lost, SizeIs(1));
  EXPECT_EQ(lost->front().id, "job-2");
  EXPECT_THAT(lost->front().evidence, HasSubstr("never started"));
  EXPECT_THAT(lost->front().evidence, HasSubstr("no memory"));
}

TEST_F(LocalTargetTest, StartingSupervisorIsAlive) {
  ASSERT_TRUE(Start());
  tree_.Write("runner", "#!/bin/sh\nwhile ! [ -e cancel ]; do sleep 0.02; done\n", 0755);
  record_.id = "job-2";
  ASSERT_TRUE(Start());
  EXPECT_TRUE((*target().Observe("job-2", {}))->alive) << "it has the lock of its client";
  EXPECT_THAT(*target().Sweep({}), IsEmpty());
  ASSERT_TRUE(target().Cancel("job-2", {}));
  EXPECT_FALSE((*target().Observe("job-2", {}))->alive);
}

TEST_F(LocalTargetTest, DetectsReusedPid) {
  std::filesystem::create_directories(Runtime().folder);
  auto identity = *local::IdentifyThisProcess("0123456789abcdef");
  identity.start_time += 1;
  tree_.Write("state/jobs/job-1/supervisor.json", local::ToJson(identity));
  EXPECT_FALSE((*target().Observe("job-1", {}))->alive);
  EXPECT_THAT(*target().Sweep({}), SizeIs(1));
}

TEST_F(LocalTargetTest, IgnoresDamagedFiles) {
  std::filesystem::create_directories(Runtime().folder);
  tree_.Write("state/jobs/job-1/supervisor.json", "");
  tree_.Write("state/jobs/job-1/status.json", "{\"id\":");
  EXPECT_FALSE((*target().Observe("job-1", {}))->alive);
  EXPECT_THAT(*target().Sweep({}), SizeIs(1));
}

TEST_F(LocalTargetTest, IdentityNamesMachineAndFolder) {
  EXPECT_THAT(target().Identity(), HasSubstr("local:"));
  EXPECT_THAT(target().Identity(), HasSubstr((tree_ / "state").native()));
}

}  // namespace
}  // namespace kinetic::backend
