#pragma once

#include "support/child_process.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::test {

/// A third-party program that is built from its Go module.
struct GoModule {
  std::string package;  ///< "github.com/owner/name"
  std::string version;  ///< "v1.2.3": pinned for reproducibility
  std::string binary;   ///< package path for `go install`
};

/// Builds the program under ~/.cache/kinetic-tests unless it exists. Returns nullopt if
/// tests/support/go cannot install Go. Throws std::runtime_error with the compiler's output if the
/// build fails.
std::optional<std::filesystem::path> Build(const GoModule& module);

/// Returns an unused port of this machine.
std::uint16_t FreePort();

/// Starts a third-party server and waits until it accepts connections; returns null if it does not.
std::unique_ptr<ChildProcess> StartServer(std::vector<std::string> argv, std::uint16_t port);

}  // namespace kinetic::test
