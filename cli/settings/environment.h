#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace kinetic::cli {

/// The environment of the process. Read once, in main.
struct ProcessEnvironment {
  std::map<std::string, std::string> variables;
  std::filesystem::path directory;   ///< the current folder, absolute
  std::filesystem::path executable;  ///< the file of this program
  std::string user;
  std::string host;
  std::filesystem::path home;
  bool terminal = false;  ///< stdin and stderr are a terminal, in the foreground

  /// Returns the variable's value, or an empty string if it is not set.
  const std::string& Variable(const std::string& name) const;
};

ProcessEnvironment ReadProcessEnvironment();

/// Returns warnings about unknown KINETIC_ variables, each with the nearest known name. Skips the
/// variables that kinetic sets for jobs, because a job may call kinetic.
std::vector<std::string> UnknownVariables(const ProcessEnvironment& process);

}  // namespace kinetic::cli
