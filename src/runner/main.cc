#include "kinetic/version.h"

#include "pod/container.h"
#include "runner/entry_points.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <system_error>

namespace {

std::terminate_handler g_standard_handler = nullptr;

/// Reports on standard error, which the client reads, that a thread cannot be started.
[[noreturn]] void ReportException() {
  constexpr std::string_view kMessage =
      "cannot start a thread; raise the limits on processes and memory: ulimit -u, ulimit -v\n";
  try {
    if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) {
      (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
      ::_exit(1);
    }
  } catch (...) {
    g_standard_handler();
  }
  g_standard_handler();
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  g_standard_handler = std::set_terminate(ReportException);
  const std::string_view command = argc >= 2 ? argv[1] : "";
  if (command == "supervise" && argc == 2) return kinetic::runner::Supervise();
  if (command == "collect" && argc <= 3) {
    return kinetic::runner::Collect(argc == 3 ? kinetic::Path(argv[2])
                                              : kinetic::Path(kinetic::pod::kRuntimeFolder));
  }
  if (command == "probe-store" && argc == 2) return kinetic::runner::ProbeStore();
  if (command == "install" && argc == 3) return kinetic::runner::Install(argv[0], argv[2]);
  if (command == "shut-down" && argc == 2) return kinetic::runner::ShutDown();
  if (command == "--version") {
    std::puts(KINETIC_VERSION);
    return 0;
  }
  const bool help = command == "--help" || command == "-h";
  std::fputs(
      "usage: kinetic-runner supervise           run one job; started by kinetic\n"
      "       kinetic-runner collect [FOLDER]    run one job's collector in a pod\n"
      "       kinetic-runner probe-store         check that a pod can use the store\n"
      "       kinetic-runner install FOLDER      copy kinetic-launcher to FOLDER/bin\n"
      "       kinetic-runner shut-down           delete the cluster if its time limit has ended\n"
      "       kinetic-runner --version\n",
      help ? stdout : stderr);
  return help ? 0 : 2;
}
