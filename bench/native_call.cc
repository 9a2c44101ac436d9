// Prints the median time from the call of a C++ function to its value, in milliseconds.
#include <kinetic/function.h>
#include <kinetic/kinetic.h>
#include <kinetic/settings.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <vector>

namespace {

int AddOne(int number) { return number + 1; }
KINETIC_FUNCTION(AddOne);

}  // namespace

int main(int argc, char** argv) {
  kinetic::InitFunctions(argc, argv);
  auto client = kinetic::Client::Open(kinetic::LoadProfile());
  constexpr int kCalls = 21;
  std::vector<double> milliseconds;
  for (int i = 0; client && i <= kCalls; ++i) {
    const auto begun = std::chrono::steady_clock::now();
    const auto value = client->Run(&AddOne, i);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begun;
    if (!value) return kinetic::Report(std::cerr, value.error()), 1;
    if (i > 0) milliseconds.push_back(took.count());  // the first call stores the program
  }
  if (!client) return kinetic::Report(std::cerr, client.error()), 1;
  std::ranges::sort(milliseconds);
  std::printf("%.2f\n", milliseconds[milliseconds.size() / 2]);
  return 0;
}
