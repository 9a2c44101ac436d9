#pragma once

#include "support/raw_server.h"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::test {

/// An API server with one collection, which can be listed and watched. Injects faults of networks
/// and servers: interrupted lines, silence, overload, expired versions and lists, closed
/// connections.
class KubeServer {
 public:
  /// @param seed  of the faults.
  explicit KubeServer(unsigned seed);
  KubeServer(const KubeServer&) = delete;
  KubeServer& operator=(const KubeServer&) = delete;
  ~KubeServer();

  std::string Url() const { return server_.Url(); }

  /// Creates, changes or removes an object.
  void Change();
  /// Disables all faults.
  void DisableFaults();
  /// Returns the objects: name to "uid version".
  std::map<std::string, std::string> Present() const;
  /// Returns the number of injected faults.
  int faults() const;

 private:
  struct Object {
    std::string uid;
    std::int64_t version = 0;
  };

  void Serve(Connection& connection);
  bool AnswerList(Connection& connection, const std::string& target);
  bool AnswerWatch(Connection& connection, const std::string& target);
  bool SendChunk(Connection& connection, std::string_view bytes);
  /// Returns the changes after `version` and sets it to the last one. Waits briefly for the first.
  std::string LinesAfter(std::int64_t& version);
  /// Returns true once in `odds` while faults are enabled.
  bool Fault(std::size_t odds);
  std::size_t Below(std::size_t bound);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::mt19937 random_;
  bool calm_ = false;
  bool ending_ = false;
  int faults_ = 0;
  std::int64_t version_ = 1;
  std::int64_t forgotten_ = 0;  ///< versions before this one are expired
  std::map<std::string, Object> objects_;
  std::vector<std::pair<std::int64_t, std::string>> changes_;  ///< version and line
  RawServer server_;  ///< last member: its threads use all others
};

}  // namespace kinetic::test
