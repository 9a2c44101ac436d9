#include "kinetic/version.h"

#include "pod/container.h"
#include "pod/packages_request.h"
#include "runner/collect.h"
#include "runner/install.h"
#include "runner/install_maker.h"
#include "runner/make_packages.h"
#include "runner/supervise.h"

#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  const std::string_view command = argc >= 2 ? argv[1] : "";
  if (command == "supervise" && argc == 2) return kinetic::runner::Supervise();
  if (command == "collect" && argc <= 3) {
    return kinetic::runner::Collect(argc == 3 ? kinetic::Path(argv[2])
                                              : kinetic::Path(kinetic::pod::kRuntimeFolder));
  }
  if (command == "install" && argc == 3) return kinetic::runner::Install(argv[0], argv[2]);
  if (command == "install-maker" && argc == 3)
    return kinetic::runner::InstallMaker(argv[0], argv[2]);
  if (command == "make-packages" && argc == 2) {
    return kinetic::runner::MakePackages(kinetic::Path(kinetic::pod::kMakerFolder));
  }
  if (command == "--version") {
    std::puts(KINETIC_VERSION);
    return 0;
  }
  const bool asks = command == "--help" || command == "-h";
  std::fputs(
      "usage: kinetic-runner supervise           sees one job through; started by kinetic itself\n"
      "       kinetic-runner collect [FOLDER]    the same, but for its program: in a pod\n"
      "       kinetic-runner install FOLDER      puts kinetic-launcher there, for a pod's program\n"
      "       kinetic-runner install-maker FOLDER\n"
      "                                         puts itself there, to be started in another image\n"
      "       kinetic-runner make-packages       makes the packages that its pod asks for\n"
      "       kinetic-runner --version\n",
      asks ? stdout : stderr);
  return asks ? 0 : 2;
}
