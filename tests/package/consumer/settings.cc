// A third-party program: prints the runner that jobs of the current profile use.
#include <kinetic/report.h>
#include <kinetic/settings.h>

#include <iostream>

int main() {
  const auto options = kinetic::LoadProfile();
  if (options) std::cout << options->runner.string() << '\n';
  if (!options) kinetic::Report(std::cerr, options.error());
  return options ? 0 : 1;
}
