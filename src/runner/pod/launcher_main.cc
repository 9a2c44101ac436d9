#include "kinetic/version.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "pod/container.h"
#include "runner/attempt/interruption.h"
#include "runner/diagnostics.h"
#include "runner/pod/launcher.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <string>
#include <string_view>

namespace kinetic::runner {
namespace {

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

/// Returns the folder beside that of this program: /kinetic/run for /kinetic/bin/kinetic-launcher.
Path RunFolder(const Path& program) {
  if (!program.is_absolute()) return pod::kRuntimeFolder;
  return program.parent_path().parent_path() / "run";
}

int Main(const Path& folder) {
  PrepareSignals();
  // Daemonized processes stay our descendants, even if this is not process 1.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::umask(022);
  auto exit = PodLauncher(PosixFileSystem(), SystemClock(), {local::Runtime{folder}}, Environment(),
                          STDOUT_FILENO)
                  .Run();
  if (!exit) {
    const std::string& message = exit.error().message;
    LogDiagnostic("kinetic-launcher: " + message);
    WriteTerminationMessage("kinetic-launcher: " + message);
    return pod::kFailedBeforeUserCode;
  }
  WriteTerminationMessage(exit->message);
  return exit->exit_code;
}

}  // namespace
}  // namespace kinetic::runner

int main(int argc, char** argv) {
  if (argc > 2 || argc < 1) {
    std::fputs(
        "usage: kinetic-launcher [FOLDER]    run a job's program in its container\n"
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
