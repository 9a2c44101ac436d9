#pragma once

#include "support/child_process.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::test {

/// A program of somebody else's that is built from its Go module.
struct GoModule {
  std::string package;  ///< "github.com/owner/name"
  std::string version;  ///< "v1.2.3": pinned, so that a test means the same everywhere
  std::string binary;   ///< as `go install` calls it
};

/// Builds it under ~/.cache/kinetic-tests, unless this user has it already. Returns nullopt where
/// tests/support/go cannot install Go. Throws std::runtime_error with the compiler's output when the
/// build fails.
std::optional<std::filesystem::path> Build(const GoModule& module);

/// A port of this machine that nobody listens on now.
std::uint16_t FreePort();

/// A server of somebody else's, waited for until it takes connections; null when it does not.
std::unique_ptr<ChildProcess> StartServer(std::vector<std::string> argv, std::uint16_t port);

}  // namespace kinetic::test
