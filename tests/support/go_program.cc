#include "support/go_program.h"

#include "base/files/unique_fd.h"
#include "base/process/subprocess.h"
#include "base/random.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <thread>

extern char** environ;

namespace kinetic::test {
namespace {

namespace fs = std::filesystem;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

std::map<std::string, std::string> Environment() {
  std::map<std::string, std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos) all[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return all;
}

sockaddr_in Loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

bool TakesConnections(std::uint16_t port) {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = Loopback(port);
  return ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

}  // namespace

std::optional<fs::path> Build(const GoModule& module) {
  const std::string name = fs::path(module.package).filename().string();
  const fs::path home = fs::path(Variable("HOME")) / ".cache/kinetic-tests";
  const fs::path folder = home / (name + "@" + module.version);
  if (fs::exists(folder / module.binary)) return folder / module.binary;
  Subprocess install;
  install.environment = Environment();
  install.argv = {KINETIC_TEST_GO, "version"};
  const auto installed = Run(install, {});
  if (!installed || !installed->Succeeded()) return std::nullopt;
  const fs::path fresh = home / RandomId();
  install.argv = {KINETIC_TEST_GO, "install", module.package + "@" + module.version};
  install.environment["GOBIN"] = fresh.string();
  std::string said;
  install.on_stderr = [&](std::string_view piece) { said += piece; };
  const auto ended = Run(install, {});
  std::error_code ignored;
  if (!ended || !ended->Succeeded()) {
    throw std::runtime_error(module.package +
                             " cannot be built: " + (ended ? said : ended.error().message));
  }
  fs::rename(fresh, folder, ignored);  // another process has built the same
  fs::remove_all(fresh, ignored);
  if (!fs::exists(folder / module.binary)) return std::nullopt;
  return folder / module.binary;
}

std::uint16_t FreePort() {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  ::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), size);
  ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

std::unique_ptr<ChildProcess> StartServer(std::vector<std::string> argv, std::uint16_t port) {
  auto server = std::make_unique<ChildProcess>(std::move(argv));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!server->Ended() && std::chrono::steady_clock::now() < deadline) {
    if (TakesConnections(port)) return server;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return nullptr;
}

}  // namespace kinetic::test
