#include "program.h"

int main(int argc, char** argv) {
  kinetic::cli::Signals signals;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return kinetic::cli::RunProgram(arguments, kinetic::cli::ReadSurroundings(), signals);
}
