#pragma once

#include "support/gcs_server/access.h"
#include "support/gcs_server/call.h"
#include "support/gcs_server/date_skew.h"
#include "support/gcs_server/faults.h"
#include "support/gcs_server/request_log.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kinetic::gcs_server {

/// Options of a server.
struct Options {
  std::string host = "127.0.0.1";  ///< "0.0.0.0" for clients in pods and on other machines
  std::uint16_t port = 0;          ///< 0: any free one
  std::filesystem::path data_dir = std::filesystem::temp_directory_path();
  std::vector<Account> accounts;  ///< none: requests need no token
  Behavior behavior;
};

/// A strict stand-in for the JSON API of Google Cloud Storage, for tests and benchmarks. Rejects
/// the same requests as Google, and returns 501 for unsupported features. A thread serves each
/// connection. Contents are on disk and are removed with the server.
///
/// @threads  safe to call concurrently.
class Server {
 public:
  /// Returns null if the port is in use or the folder cannot be written.
  static std::unique_ptr<Server> Start(Options options = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server();

  std::uint16_t port() const;
  /// Returns "http://127.0.0.1:PORT", as in STORAGE_EMULATOR_HOST.
  std::string Url() const;

  Faults& faults();
  RequestLog& log();
  std::uint64_t requests() const;     ///< so far
  std::uint64_t connections() const;  ///< so far
  std::uint64_t open_connections() const;

  void CreateBucket(const std::string& name);
  DateSkew& dates();
  void SetAccounts(std::vector<Account> accounts);
  /// Ends all incomplete uploads, which return 404 or 410 from now on.
  void EndSessions(int status);
  std::size_t open_sessions() const;

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace kinetic::gcs_server
