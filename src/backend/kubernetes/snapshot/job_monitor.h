#pragma once

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/target.h"
#include "base/time/clock.h"
#include "kube/client.h"
#include "store/object_store.h"

#include <atomic>
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
#include <utility>
#include <vector>

namespace kinetic::backend {

/// Watches one job or task: its Job, its pods, and the events of each of these objects. Does not
/// poll. The server selects the job's objects, so that of others in the namespace nothing is
/// transferred. Of an array, whose Job counts the tasks, only the pods of the first task are
/// watched: they show why tasks do not start.
///
/// @threads  safe to call concurrently.
class JobMonitor {
 public:
  struct Query {
    std::string name_space;
    std::string id;  ///< of a job, or of a task
    ObjectNames names;
  };

  /// Starts the watches. @param client  must outlive this object.
  JobMonitor(const kube::Client& client, Query query);
  ~JobMonitor();
  JobMonitor(const JobMonitor&) = delete;
  JobMonitor& operator=(const JobMonitor&) = delete;

  struct View {
    std::uint64_t version = 0;  ///< changes with each change
    bool complete = false;      ///< Job and pods have both been listed
    ClusterSnapshot snapshot;
    std::string connection_error;  ///< why the API server is unavailable; empty: it is available
  };

  /// Returns the present view, without waiting.
  View Current() const;

  /// Waits for a version other than `seen`, or until `until`.
  ///
  /// @errors  kCancelled · errors that end a watch, such as a missing permission.
  Result<View> Await(std::uint64_t seen, std::optional<SteadyTime> until,
                     std::stop_token stop) const;

  /// Sets the collector's last line, after a client has read it.
  void SetEndLine(pod::EndLine end);

  /// Announces, until EndFollowing, a client that follows the logs and will set the last line.
  void BeginFollowing() { ++followers_; }
  void EndFollowing() { --followers_; }
  bool IsFollowed() const { return followers_ > 0; }

 private:
  void StartWatch(const kube::Resource& resource, kube::ListOptions query);
  /// Starts a watch of the events of one object, unless there is one. Called with the mutex held.
  void StartEventWatch(std::string_view object);
  /// Ends the watch of the events of a deleted pod. Called without the mutex.
  void EndEventWatch(std::string_view pod);
  void WatchAll(const kube::Resource& resource, const kube::ListOptions& query,
                const std::stop_token& stop);
  void Take(const kube::Resource& resource, const kube::WatchEvent& event);
  void Store(const kube::Resource& resource, const Value& object, bool present);
  void StoreJob(const Value& job);
  void WatchSharedPod(std::uint32_t tasks_per_pod);
  template <typename Change>
  void Changed(const Change& change);

  const kube::Client& client_;
  const std::string name_space_;
  ObjectNames names_;        ///< of an array: with the pods of its first task
  bool shares_pod_ = false;  ///< the task shares its pod with others
  std::atomic<int> followers_ = 0;
  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
  View view_;
  int unlisted_ = 0;  ///< watches of the Job and of pods that have not listed them yet
  std::optional<Error> fault_;
  bool closing_ = false;
  // Last: they use all other members.
  std::map<std::string, std::jthread, std::less<>> event_threads_;  ///< by object
  std::vector<std::jthread> threads_;
};

/// The monitors of the jobs in use. Watching a job and following its log share one monitor.
///
/// @threads  safe to call concurrently.
class JobMonitorPool {
 public:
  JobMonitorPool(const kube::Client& client, std::string name_space)
      : client_(client), name_space_(std::move(name_space)) {}

  /// Returns the job's monitor. Creates it if necessary.
  std::shared_ptr<JobMonitor> Get(std::string_view id);

 private:
  const kube::Client& client_;
  const std::string name_space_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<JobMonitor>, std::less<>> monitors_;
};

}  // namespace kinetic::backend
