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

/// An API server with one collection, which it lists and watches as the real one does, and which
/// does to its connections what networks and servers do: it cuts them within a line, is silent, is
/// busy, forgets versions and lists, and closes without a reason.
class KubeServer {
 public:
  /// @param seed  of what goes wrong.
  explicit KubeServer(unsigned seed);
  KubeServer(const KubeServer&) = delete;
  KubeServer& operator=(const KubeServer&) = delete;
  ~KubeServer();

  std::string Url() const { return server_.Url(); }

  /// Creates, changes or removes an object.
  void Change();
  /// From now on nothing goes wrong any more.
  void CalmDown();
  /// What is there: name to "uid version".
  std::map<std::string, std::string> Present() const;
  /// How often something went wrong.
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
  /// The changes after `version`, which becomes that of the last; waits for the first a moment.
  std::string LinesAfter(std::int64_t& version);
  /// True once in `odds`, while things go wrong.
  bool Fault(std::size_t odds);
  std::size_t Below(std::size_t bound);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::mt19937 random_;
  bool calm_ = false;
  bool ending_ = false;
  int faults_ = 0;
  std::int64_t version_ = 1;
  std::int64_t forgotten_ = 0;  ///< every version before this one
  std::map<std::string, Object> objects_;
  std::vector<std::pair<std::int64_t, std::string>> changes_;  ///< version and line
  RawServer server_;                                           ///< the last: its threads use all
};

}  // namespace kinetic::test
