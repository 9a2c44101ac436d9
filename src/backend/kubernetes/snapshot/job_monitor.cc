#include "backend/kubernetes/snapshot/job_monitor.h"

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "kube/object.h"
#include "record/task_id.h"

#include <system_error>
#include <utility>

namespace kinetic::backend {

JobMonitor::JobMonitor(const kube::Client& client, Query query)
    : client_(client), name_space_(std::move(query.name_space)), names_(std::move(query.names)) {
  view_.snapshot.job_id = std::move(query.id);
  const std::lock_guard lock(mutex_);
  StartWatch(kube::kJobs, {.label_selector = {}, .field_selector = "metadata.name=" + names_.job});
  StartWatch(kube::kPods, {.label_selector = names_.pod_selector, .field_selector = {}});
  StartEventWatch(names_.job);
}

JobMonitor::~JobMonitor() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  for (auto& thread : threads_) thread.request_stop();
  for (auto& [object, thread] : event_threads_) thread.request_stop();
}

void JobMonitor::StartWatch(const kube::Resource& resource, kube::ListOptions query) {
  ++unlisted_;
  threads_.emplace_back([this, resource, query = std::move(query)](const std::stop_token& stop) {
    WatchAll(resource, query, stop);
  });
}

void JobMonitor::StartEventWatch(std::string_view object) {
  if (closing_ || event_threads_.contains(object)) return;
  try {
    event_threads_.try_emplace(std::string(object),
                               [this, query = EventsOf(object)](const std::stop_token& stop) {
                                 WatchAll(kube::kEvents, query, stop);
                               });
  } catch (const std::system_error&) {
    return;  // No thread can be started. Events are used for explanations only.
  }
}

void JobMonitor::EndEventWatch(std::string_view pod) {
  std::jthread ended;  // joins without the mutex, for which the thread may wait
  const std::lock_guard lock(mutex_);
  const auto known = event_threads_.find(pod);
  if (closing_ || known == event_threads_.end()) return;
  ended = std::move(known->second);
  event_threads_.erase(known);
}

template <typename Change>
void JobMonitor::Changed(const Change& change) {
  const std::lock_guard lock(mutex_);
  change();
  ++view_.version;
  changed_.notify_all();
}

void JobMonitor::WatchAll(const kube::Resource& resource, const kube::ListOptions& query,
                          const std::stop_token& stop) {
  kube::WatchOptions options;
  options.on_health_change = [this](const Error* error) {
    Changed([&] { view_.connection_error = error == nullptr ? "" : error->message; });
  };
  const bool counts = resource.plural != kube::kEvents.plural;
  bool is_listed = false;
  const auto take = [&](const kube::WatchEvent& event) -> Status {
    if (event.kind != kube::WatchEvent::Kind::kSynced) {
      Take(resource, event);
    } else if (counts && !std::exchange(is_listed, true)) {
      Changed([&] { view_.complete = --unlisted_ == 0; });
    }
    return {};
  };
  const Status watched = client_.Watch(resource, name_space_, query, take, options, stop);
  if (watched || watched.error().code == ErrorCode::kCancelled) return;
  // Events are used for explanations only. A job runs without permission to read them.
  if (resource.plural == kube::kEvents.plural) return;
  Changed([&] { fault_ = watched.error(); });
}

void JobMonitor::Take(const kube::Resource& resource, const kube::WatchEvent& event) {
  if (event.object == nullptr) return;
  const bool is_event = resource.plural == kube::kEvents.plural;
  Changed([&] {
    if (is_event && !IsEventOf(*event.object, names_)) return;
    Store(resource, *event.object, event.kind == kube::WatchEvent::Kind::kUpdated);
  });
  const bool is_deleted = event.kind == kube::WatchEvent::Kind::kDeleted;
  if (is_deleted && resource.plural == kube::kPods.plural)
    EndEventWatch(kube::NameOf(*event.object));
}

void JobMonitor::Store(const kube::Resource& resource, const Value& object, bool present) {
  ClusterSnapshot& snapshot = view_.snapshot;
  if (resource.plural == kube::kJobs.plural) {
    snapshot.job_existed = true;
    if (present) return StoreJob(object);
    snapshot.job.reset();
    return;
  }
  const bool is_pod = resource.plural == kube::kPods.plural;
  if (is_pod && shares_pod_ && !IsPodOf(kube::NameOf(object), names_)) return;
  auto& objects = is_pod ? snapshot.pods : snapshot.events;
  const std::string uid(kube::UidOf(object));
  if (is_pod && present) StartEventWatch(kube::NameOf(object));
  if (present) {
    objects[uid] = object;
  } else if (&objects == &snapshot.pods) {
    objects.erase(uid);
  }
}

void JobMonitor::StoreJob(const Value& job) {
  ClusterSnapshot& snapshot = view_.snapshot;
  const auto task = record::ParseTaskId(snapshot.job_id);
  snapshot.job = task ? JobOfTask(job, task->task) : job;
  if (task) WatchSharedPod(TasksPerPodOf(job));
  const bool is_known = names_.pods != names_.job;
  if (task || is_known || closing_ || !IsArray(job)) return;
  names_ = ObjectNamesOf(record::TaskId(snapshot.job_id, 0));
  try {
    StartWatch(kube::kPods, {.label_selector = names_.pod_selector, .field_selector = {}});
  } catch (const std::system_error&) {
    --unlisted_;  // No thread can be started. The pods are used for explanations only.
  }
  view_.complete = unlisted_ == 0;
}

/// Watches the pod of a task that shares it, whose index is not the number of the task.
void JobMonitor::WatchSharedPod(std::uint32_t tasks_per_pod) {
  if (tasks_per_pod == 1 || shares_pod_ || closing_) return;
  shares_pod_ = true;
  names_ = ObjectNamesOf(view_.snapshot.job_id, tasks_per_pod);
  view_.snapshot.pods.clear();
  try {
    StartWatch(kube::kPods, {.label_selector = names_.pod_selector, .field_selector = {}});
  } catch (const std::system_error& error) {
    --unlisted_;
    fault_ = Error{ErrorCode::kResourceExhausted,
                   std::string("cannot watch the pod of the task: ") + error.what(),
                   {},
                   {}};
  }
  view_.complete = unlisted_ == 0;
}

JobMonitor::View JobMonitor::Current() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

Result<JobMonitor::View> JobMonitor::Await(std::uint64_t seen, std::optional<SteadyTime> until,
                                           std::stop_token stop) const {
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return view_.version != seen || fault_; };
  if (until) {
    changed_.wait_until(lock, stop, *until, ready);
  } else {
    changed_.wait(lock, stop, ready);
  }
  if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped waiting for the job");
  if (fault_) return Failure(*fault_);
  return view_;
}

void JobMonitor::SetEndLine(pod::EndLine end) {
  Changed([&] { view_.snapshot.end = std::move(end); });
}

std::shared_ptr<JobMonitor> JobMonitorPool::Get(std::string_view id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(monitors_, [](const auto& known) { return known.second.expired(); });
  const auto known = monitors_.find(id);
  if (known != monitors_.end()) {
    if (auto monitor = known->second.lock()) return monitor;
  }
  auto monitor = std::make_shared<JobMonitor>(
      client_, JobMonitor::Query{name_space_, std::string(id), ObjectNamesOf(id)});
  monitors_[std::string(id)] = monitor;
  return monitor;
}

}  // namespace kinetic::backend
