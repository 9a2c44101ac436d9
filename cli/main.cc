#include "program.h"

#include <fcntl.h>
#include <unistd.h>

namespace {

/// Opens closed standard streams. Otherwise the next opened file would get the number of a closed
/// stream and receive its output. The replacement cannot be written to either.
void OccupyStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) < 0) (void)::open("/dev/null", O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  OccupyStandardStreams();
  kinetic::cli::Signals signals;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return kinetic::cli::RunProgram(arguments, kinetic::cli::ReadProcessEnvironment(), signals);
}
