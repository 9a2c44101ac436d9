#include "kinetic/version.h"

#include "base/clock.h"
#include "base/file_system.h"
#include "pod/container.h"
#include "runner/diagnostics.h"
#include "runner/pod_launcher.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

namespace kinetic::runner {
namespace {

constexpr const char* kTerminationLog = "/dev/termination-log";
constexpr std::size_t kTerminationBytes = 4096;

/// The first process of a container is spared signals that it does not expect; this one is meant to
/// end by SIGTERM alone.
void PrepareSignals() {
  for (const int ignored : {SIGHUP, SIGINT, SIGPIPE}) ::signal(ignored, SIG_IGN);
  sigset_t terminate;
  sigemptyset(&terminate);
  sigaddset(&terminate, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &terminate, nullptr);
  // What daemonises out of the job stays in sight, also where this is not the first process.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

std::map<std::string, std::string> Environment() {
  std::map<std::string, std::string> environment;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view assignment(*entry);
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    environment.emplace(assignment.substr(0, equals), assignment.substr(equals + 1));
  }
  return environment;
}

/// For `kubectl describe`. A container need not have the file.
void WriteTerminationMessage(std::string_view message) {
  const int fd = ::open(kTerminationLog, O_WRONLY | O_TRUNC | O_CLOEXEC);
  if (fd < 0) return;
  (void)!::write(fd, message.data(), std::min(message.size(), kTerminationBytes));
  ::close(fd);
}

/// It was installed beside the folder: /kinetic/bin/kinetic-launcher, /kinetic/run.
Path RunFolder(const Path& program) {
  if (!program.is_absolute()) return pod::kRuntimeFolder;
  return program.parent_path().parent_path() / "run";
}

int Main(const Path& folder) {
  PrepareSignals();
  ::umask(022);
  auto settled = PodLauncher(PosixFileSystem(), SystemClock(), {local::Runtime{folder}},
                             Environment(), STDOUT_FILENO)
                     .Run();
  if (!settled) {
    const std::string& message = settled.error().message;
    Diagnose("kinetic-launcher: " + message);
    WriteTerminationMessage("kinetic-launcher: " + message);
    return pod::kFailedBeforeUserCode;
  }
  WriteTerminationMessage(settled->message);
  return settled->exit_code;
}

}  // namespace
}  // namespace kinetic::runner

int main(int argc, char** argv) {
  if (argc > 2 || argc < 1) {
    std::fputs(
        "usage: kinetic-launcher [FOLDER]    runs a job's program in its container\n"
        "       kinetic-launcher --version\n",
        stderr);
    return 2;
  }
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    std::puts(KINETIC_VERSION);
    return 0;
  }
  return kinetic::runner::Main(argc == 2 ? kinetic::Path(argv[1])
                                         : kinetic::runner::RunFolder(argv[0]));
}
