#pragma once

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/target.h"
#include "base/time/clock.h"
#include "kube/client.h"
#include "store/object_store.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
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
  void WatchAll(const kube::Resource& resource, const kube::ListOptions& query,
                const std::stop_token& stop);
  void Take(const kube::Resource& resource, const kube::WatchEvent& event);
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

/// The monitors of the jobs that somebody looks at: whoever watches and whoever follows the log of
/// one job share its watches.
///
/// @threads  safe to call concurrently.
class JobMonitors {
 public:
  JobMonitors(const kube::Client& client, std::string name_space)
      : client_(client), name_space_(std::move(name_space)) {}

  /// The one that there is, or a new one.
  std::shared_ptr<JobMonitor> Of(std::string_view id);

 private:
  const kube::Client& client_;
  const std::string name_space_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<JobMonitor>, std::less<>> monitors_;
};

/// One job on a cluster, with all by which it is watched and changed; the members outlive it.
struct WatchedJob {
  JobMonitor& monitor;
  const kube::Client& client;
  std::string_view name_space;
  store::Store& store;
  Clock& clock;
  std::string_view id;
};

/// Target::Watch for a job on a cluster. The end comes from whichever tells it first: the
/// collector's last line, the job's container, the Job's condition. A job that does not start
/// within timeouts.pending, or never can, is ended with that cause.
Status WatchJob(const WatchedJob& job, const std::function<Status(const Observation&)>& each,
                std::stop_token stop);

}  // namespace kinetic::backend
