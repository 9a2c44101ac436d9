#pragma once

#include "kinetic/job.h"

#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "base/time/clock.h"
#include "kube/client.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace kinetic::backend {

/// Implements Target::Logs without `follow`: reads what the job's pods have now, up to the first
/// missing record.
Result<LogRead> ReadPodLogs(const kube::Client& client, std::string_view name_space,
                            const ClusterSnapshot& snapshot, std::uint64_t from_sequence,
                            const LogRecordSink& reader, std::stop_token stop);

/// Implements Target::Logs with `follow`: reads until the last line, until nothing of the job is
/// left, or until a record is missing that the store may have.
Result<LogRead> FollowPodLogs(const WatchedJob& job, std::uint64_t from_sequence,
                              const LogRecordSink& reader, std::stop_token stop);

/// Follows the output of a pod's main container line by line on its own thread. Continues after a
/// lost connection. Output that cannot be read is skipped, because it is for display only.
class MainContainerLog {
 public:
  /// @param client  must outlive this object, as must the clock. @param each  called on one thread.
  MainContainerLog(const kube::Client& client, Clock& clock, std::string name_space,
                   std::string pod, std::function<void(std::string_view line)> each);
  MainContainerLog(const MainContainerLog&) = delete;
  MainContainerLog& operator=(const MainContainerLog&) = delete;

  const std::string& pod() const { return pod_; }

  /// Waits briefly for the end of the log of a container that has ended.
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
  std::uint64_t to_skip_ = 0;  ///< of this read: received before
  std::string line_;
  std::atomic<bool> over_ = false;
  std::jthread thread_;  ///< last: it uses all other members
};

}  // namespace kinetic::backend
