#include "exit_code.h"
#include "program.h"
#include "signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>

namespace {

/// Opens closed standard streams. Otherwise the next opened file would get the number of a closed
/// stream and receive its output. The replacement cannot be written to either.
void OccupyStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);
  }
}

std::terminate_handler g_standard_handler = nullptr;

[[noreturn]] void Exit(std::string_view message) {
  (void)!::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(kinetic::cli::kNotSubmitted);
}

/// Reports that the machine cannot start a thread or has no memory left. These are the only
/// exceptions that the program does not handle where they occur.
[[noreturn]] void ReportException() {
  try {
    if (const auto exception = std::current_exception()) std::rethrow_exception(exception);
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again)
      Exit(
          "error: cannot start a thread\n"
          "hint: raise the limits on processes and memory: ulimit -u, ulimit -v\n");
  } catch (const std::bad_alloc&) {
    Exit("error: not enough memory\n");
  } catch (...) {
    g_standard_handler();
  }
  g_standard_handler();
  std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  OccupyStandardStreams();
  g_standard_handler = std::set_terminate(ReportException);
  kinetic::cli::Signals signals;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const int code =
      kinetic::cli::RunProgram(arguments, kinetic::cli::ReadProcessEnvironment(), signals);
  const bool was_interrupted = signals.Interrupted().stop_requested();
  if (code == kinetic::cli::kInterrupted && was_interrupted) signals.ReraiseInterrupt();
  return code;
}
