#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace kinetic::cli {

/// What the process was given by whoever started it; read once in main.
struct Surroundings {
  std::map<std::string, std::string> environment;
  std::filesystem::path directory;   ///< the current one, absolute
  std::filesystem::path executable;  ///< this program's file
  std::string user;
  std::string host;
  std::filesystem::path home;
  bool terminal = false;  ///< somebody can be asked: stdin and stderr are one, and this has it

  /// The variable's value; empty when it is not set.
  const std::string& Variable(const std::string& name) const;
};

Surroundings ReadSurroundings();

}  // namespace kinetic::cli
