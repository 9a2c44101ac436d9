#pragma once

#include "backend/kubernetes/lifecycle/observe.h"

#include <set>
#include <stop_token>
#include <string>
#include <thread>

namespace kinetic::backend {

/// Follows the logs of a job's pods for the collector's last line, on its own thread. The line arrives
/// up to a second before the API server reports the end of a container. Does nothing while another
/// client of the monitor follows the logs.
class EndLineReader {
 public:
  /// @param job  must outlive this object. Its monitor receives the line of a pod that stored a result.
  explicit EndLineReader(const WatchedJob& job);
  EndLineReader(const EndLineReader&) = delete;
  EndLineReader& operator=(const EndLineReader&) = delete;

 private:
  void Run(const std::stop_token& stop);
  const Value* NextPod(const ClusterSnapshot& snapshot) const;
  void Read(const std::string& pod, const std::stop_token& stop);

  const WatchedJob& job_;
  std::set<std::string> read_;  ///< UIDs of the pods whose log was followed
  std::jthread thread_;         ///< last: it uses all other members
};

}  // namespace kinetic::backend
