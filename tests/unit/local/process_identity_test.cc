#include "local/process_identity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace kinetic::local {
namespace {

using std::chrono::milliseconds;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Runs a shell command in a new session with one environment variable.
class ShellChild {
 public:
  ShellChild(std::string line, std::string variable) {
    std::string shell = "/bin/sh";
    std::string option = "-c";
    std::string path = "PATH=/usr/bin:/bin";
    char* argv[] = {shell.data(), option.data(), line.data(), nullptr};
    char* environment[] = {path.data(), variable.data(), nullptr};
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    EXPECT_EQ(::posix_spawn(&pid_, "/bin/sh", nullptr, &attributes, argv, environment), 0);
    posix_spawnattr_destroy(&attributes);
  }
  ShellChild(const ShellChild&) = delete;
  ShellChild& operator=(const ShellChild&) = delete;
  ~ShellChild() {
    ::kill(-pid_, SIGKILL);  // the session is one group
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = 0;
};

std::vector<pid_t> Numbers(const std::vector<Process>& processes) {
  std::vector<pid_t> numbers;
  for (const auto& process : processes) numbers.push_back(process.pid);
  return numbers;
}

void WaitForCount(std::string_view nonce, std::size_t count) {
  while (ProcessesOf(nonce).size() < count) ::usleep(2000);
}

TEST(Processes, IdentifiesThisProcess) {
  const auto identity = IdentifyThisProcess("n");
  ASSERT_TRUE(identity);
  EXPECT_TRUE(IsAlive(*identity));
  SupervisorIdentity other = *identity;
  ++other.start_time;
  EXPECT_FALSE(IsAlive(other));
  other = *identity;
  other.boot_id = "another boot";
  EXPECT_FALSE(IsAlive(other));
  other.pid = 0;
  EXPECT_FALSE(IsAlive(other));
}

TEST(Processes, FindsProcessesByNonceAndByDescent) {
  const std::string nonce = "nonce-of-test-0001-" + std::to_string(::getpid());
  const ShellChild child("env -i /bin/sleep 600 & wait", "KINETIC_JOB_NONCE=" + nonce);
  WaitForCount(nonce, 2);
  const auto found = Numbers(ProcessesOf(nonce));
  EXPECT_THAT(found, SizeIs(2));
  EXPECT_THAT(found, Contains(child.pid()));
  EXPECT_THAT(Numbers(ProcessesOf({}, ::getpid())), Contains(child.pid()));
}

TEST(Processes, RequiresTheWholeNonce) {
  const std::string nonce = "nonce-of-test-0002-" + std::to_string(::getpid());
  const ShellChild child("sleep 600", "KINETIC_JOB_NONCE=" + nonce + "x");
  EXPECT_THAT(ProcessesOf(nonce), IsEmpty());
  EXPECT_THAT(ProcessesOf(""), IsEmpty());
}

TEST(Processes, KillsProcessesThatIgnoreSigterm) {
  const std::string nonce = "nonce-of-test-0003-" + std::to_string(::getpid());
  const ShellChild child("trap '' TERM; sleep 600 & while :; do sleep 0.01; done",
                         "KINETIC_JOB_NONCE=" + nonce);
  WaitForCount(nonce, 2);
  const auto ended = EndProcesses(nonce, milliseconds(50), SystemClock(), {}, ::getpid());
  EXPECT_TRUE(ended) << ended.error().message;
  EXPECT_THAT(ProcessesOf(nonce), IsEmpty());
}

TEST(Processes, SignalsOnlyTheSameProcess) {
  const std::string nonce = "nonce-of-test-0004-" + std::to_string(::getpid());
  const ShellChild child("sleep 600", "KINETIC_JOB_NONCE=" + nonce);
  WaitForCount(nonce, 1);
  auto found = ProcessesOf(nonce);
  for (auto& process : found) ++process.start_time;
  Signal(found, SIGKILL);
  EXPECT_THAT(ProcessesOf(nonce), Not(IsEmpty()));
}

}  // namespace
}  // namespace kinetic::local
