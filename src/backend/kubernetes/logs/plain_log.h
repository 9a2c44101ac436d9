#pragma once

#include "base/time/clock.h"
#include "kube/client.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace kinetic::backend {

/// Follows what a pod's main container prints, line by line, in a thread of its own: from its
/// beginning, and again from where it was when a connection is cut. It is for people: what cannot
/// be read is left out.
class PlainLog {
 public:
  /// @param client  and clock outlive it. @param each  called by one thread.
  PlainLog(const kube::Client& client, Clock& clock, std::string name_space, std::string pod,
           std::function<void(std::string_view line)> each);
  PlainLog(const PlainLog&) = delete;
  PlainLog& operator=(const PlainLog&) = delete;

  const std::string& pod() const { return pod_; }

  /// Waits for the end of a log whose container has ended, for a moment at most.
  void Drain();

 private:
  void Follow(const std::stop_token& stop);
  void Take(std::string_view bytes);

  const kube::Client& client_;
  Clock& clock_;
  const std::string name_space_;
  const std::string pod_;
  const std::function<void(std::string_view)> each_;
  std::uint64_t taken_ = 0;    ///< bytes of the log
  std::uint64_t to_skip_ = 0;  ///< of this reading: they were taken before
  std::string line_;
  std::atomic<bool> over_ = false;
  std::jthread thread_;  ///< last: it uses the others
};

}  // namespace kinetic::backend
