#pragma once

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "base/time/clock.h"
#include "kube/client.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::backend {

/// Keeps what is known of one job fresh while somebody wants to know: one watch each on its Job,
/// its pods and their events. Nothing is polled.
///
/// @threads  safe to call concurrently.
class JobMonitor {
 public:
  struct Place {
    std::string name_space;
    std::string job_name;
    std::string job_id;
    std::string pod_selector;  ///< the labels of the job's pods
  };

  /// Begins to watch. @param client  outlives it.
  JobMonitor(const kube::Client& client, Place place);
  ~JobMonitor();
  JobMonitor(const JobMonitor&) = delete;
  JobMonitor& operator=(const JobMonitor&) = delete;

  struct View {
    std::uint64_t version = 0;  ///< changes with each change
    bool complete = false;      ///< Job and pods have both been told once
    Observed observed;
    std::string trouble;  ///< why the API server cannot be heard just now; empty: it can
  };

  View Look() const;

  /// Waits for another version than `seen`, or until `until`.
  ///
  /// @errors  kCancelled · what a watch cannot outlast: a right that is missing.
  Result<View> Await(std::uint64_t seen, std::optional<SteadyTime> until,
                     std::stop_token stop) const;

  /// Somebody has read the collector's last line.
  void NoteEnd(pod::EndLine end);

 private:
  void WatchAll(const kube::Resource& resource, const kube::Query& query,
                const std::stop_token& stop);
  void Take(const kube::Resource& resource, const kube::Event& event);
  void Store(const kube::Resource& resource, const Value& object, bool present);
  template <typename Change>
  void Changed(const Change& change);

  const kube::Client& client_;
  const Place place_;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  View view_;
  bool job_synced_ = false;
  bool pods_synced_ = false;
  std::optional<Error> fault_;
  // Last: they use all the others.
  std::vector<std::jthread> threads_;
};

}  // namespace kinetic::backend
