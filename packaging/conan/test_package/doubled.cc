// Runs a C++ function as a job on this machine.
#include <kinetic/function.h>
#include <kinetic/settings.h>
#include <kinetic/testing.h>

#include <iostream>

int Double(int number) { return 2 * number; }
KINETIC_FUNCTION(Double);

int main(int argc, char** argv) {
  kinetic::InitFunctions(argc, argv);
  auto client = kinetic::OpenTemporaryClient(kinetic::LoadProfile("local"));
  const auto value = client ? client->Run(&Double, 21) : kinetic::Failure(client.error());
  if (!value) {
    std::cerr << value.error() << '\n';
    return 1;
  }
  std::cout << *value << '\n';
  return *value == 42 ? 0 : 1;
}
