#include "kinetic/version.h"

#include "runner/diagnostics.h"
#include "runner/supervise.h"

#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  const std::string_view command = argc == 2 ? argv[1] : "";
  if (command == "supervise") return kinetic::runner::Supervise();
  if (command == "--version") {
    std::puts(KINETIC_VERSION);
    return 0;
  }
  const bool asks = command == "--help" || command == "-h";
  std::fputs(
      "usage: kinetic-runner supervise    sees one job through; started by kinetic itself\n"
      "       kinetic-runner --version\n",
      asks ? stdout : stderr);
  return asks ? 0 : 2;
}
