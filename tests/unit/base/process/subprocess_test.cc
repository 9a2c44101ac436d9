#include "base/process/subprocess.h"

#include "support/temp_tree.h"

#include <gtest/gtest.h>

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <thread>

namespace kinetic {
namespace {

constexpr const char* kPath = "/usr/local/bin:/usr/bin:/bin";

Subprocess Shell(const std::string& script) {
  Subprocess subprocess;
  subprocess.argv = {"sh", "-c", script};
  subprocess.search_path = kPath;
  return subprocess;
}

TEST(Subprocess, ReturnsBothStreamsAndTheExitCode) {
  std::string out;
  std::string err;
  Subprocess subprocess = Shell("echo out; echo err >&2; exit 7");
  subprocess.on_stdout = [&](std::string_view piece) { out += piece; };
  subprocess.on_stderr = [&](std::string_view piece) { err += piece; };
  const auto status = kinetic::Run(subprocess, {});
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 7);
  EXPECT_EQ(out, "out\n");
  EXPECT_EQ(err, "err\n");
}

TEST(Subprocess, ReadsItsInput) {
  std::string out;
  Subprocess subprocess = Shell("cat");
  subprocess.on_stdout = [&](std::string_view piece) { out += piece; };
  subprocess.input = std::string(200'000, 'x') + "\n";
  const auto status = kinetic::Run(subprocess, {});
  ASSERT_TRUE(status);
  EXPECT_EQ(out, subprocess.input);
}

TEST(Subprocess, InheritsNothing) {
  std::string out;
  Subprocess subprocess = Shell("echo $HOME-$KEY; pwd; cat");
  subprocess.environment = {{"KEY", "value"}};
  subprocess.working_directory = "/";
  subprocess.on_stdout = [&](std::string_view piece) { out += piece; };
  ASSERT_TRUE(kinetic::Run(subprocess, {}));
  EXPECT_EQ(out, "-value\n/\n");
}

/// Runs a script with the terminal that the test stands for, which types `typed` once the script
/// has said "ready". @returns whether all was as `expected`, and the terminal was given back.
bool AtATerminal(const std::string& script, const std::string& typed,
                 bool (*expected)(const ExitStatus& status, const std::string& out)) {
  int terminal = -1;
  const pid_t caller = ::forkpty(&terminal, nullptr, nullptr, nullptr);
  if (caller == 0) {
    ::signal(SIGINT, SIG_DFL);  // ignored if the test was started in the background
    ::alarm(60);
    std::string out;
    Subprocess subprocess = Shell(script);
    subprocess.terminal = true;
    subprocess.on_stdout = [&](std::string_view piece) { out += piece; };
    const auto status = kinetic::Run(subprocess, {});
    const bool given_back = ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
    ::_exit(status && expected(*status, out) && given_back ? 0 : 1);
  }
  std::string shown;
  char byte = 0;
  while (shown.find("ready") == std::string::npos && ::read(terminal, &byte, 1) == 1) shown += byte;
  EXPECT_EQ(::write(terminal, typed.data(), typed.size()), static_cast<ssize_t>(typed.size()));
  while (::read(terminal, &byte, 1) == 1) {
  }
  int status = 0;
  ::waitpid(caller, &status, 0);
  ::close(terminal);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Subprocess, CanUseTheTerminal) {
  EXPECT_TRUE(AtATerminal("echo ready >&2; read line; echo \"$line\"; [ -t 0 ] && [ -t 2 ]",
                          "hello\n", [](const ExitStatus& status, const std::string& out) {
                            return status.Succeeded() && out == "hello\n";
                          }));
}

TEST(Subprocess, CtrlCInterruptsOnlyTheProgramAtTheTerminal) {
  // The shell itself waits: of a program that it is just starting, dash loses the signal.
  EXPECT_TRUE(AtATerminal(
      "echo ready >&2; read line", "\x03",
      [](const ExitStatus& status, const std::string&) { return status.signal == SIGINT; }));
}

TEST(Subprocess, ReportsSignals) {
  const auto status = kinetic::Run(Shell("kill -KILL $$"), {});
  ASSERT_TRUE(status);
  EXPECT_EQ(status->signal, SIGKILL);
  EXPECT_EQ(status->ShellCode(), 137);
}

TEST(Subprocess, ReturnsLargeOutput) {
  std::size_t count = 0;
  Subprocess subprocess = Shell("head -c 3000000 /dev/zero");
  subprocess.on_stdout = [&](std::string_view piece) { count += piece.size(); };
  ASSERT_TRUE(kinetic::Run(subprocess, {}));
  EXPECT_EQ(count, 3'000'000U);
}

TEST(Subprocess, StopTerminatesTheProcessGroup) {
  std::stop_source source;
  std::string out;
  Subprocess subprocess = Shell("echo started; sleep 1000 & wait");
  subprocess.on_stdout = [&](std::string_view piece) {
    out += piece;
    source.request_stop();
  };
  const auto status = kinetic::Run(subprocess, source.get_token());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kCancelled);
}

TEST(Subprocess, DoesNotWaitForDaemonsThatKeepThePipesOpen) {
  const auto before = SystemClock().Steady();
  const auto status = kinetic::Run(Shell("sleep 30 & exit 0"), {});
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->Succeeded());
  EXPECT_LT(SystemClock().Steady() - before, std::chrono::seconds(20));
}

TEST(Subprocess, ReportsAMissingProgram) {
  Subprocess subprocess;
  subprocess.argv = {"no-such-program"};
  subprocess.search_path = kPath;
  const auto status = kinetic::Run(subprocess, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(status.error().message, "the program no-such-program is not installed");
}

TEST(FindExecutable, ReturnsTheFirstExecutableFile) {
  const test::TempTree tree;
  tree.Write("a/tool", "", 0644);
  tree.Write("b/tool", "", 0755);
  const std::string path = (tree / "a").string() + ":" + (tree / "b").string();
  EXPECT_EQ(FindExecutable("tool", path), tree / "b/tool");
  EXPECT_EQ(FindExecutable("other", path), std::nullopt);
}

TEST(Subprocess, DiesWithItsParentIncludingChildren) {
  const test::TempTree tree;
  const std::string file = (tree / "pid").native();
  const pid_t program = ::fork();
  if (program == 0) {
    (void)kinetic::Run(
        Shell("echo $$ > " + file + ".tmp; mv " + file + ".tmp " + file + "; exec sleep 1000"), {});
    ::_exit(0);
  }
  Result<std::string> said = Fail(ErrorCode::kNotFound, "");
  while (!said) said = ReadFile(PosixFileSystem(), file, 100);
  const pid_t child = std::stoi(*said);
  ASSERT_EQ(::kill(program, SIGKILL), 0);
  ASSERT_EQ(::waitpid(program, nullptr, 0), program);
  // The process that inherited it has reaped it, or it is a zombie.
  const Path stat = "/proc/" + std::to_string(child) + "/stat";
  for (;;) {
    const auto line = ReadFile(PosixFileSystem(), stat, 4096);
    if (!line || line->find(") Z ") != std::string::npos) break;
    std::this_thread::yield();
  }
}

}  // namespace
}  // namespace kinetic
