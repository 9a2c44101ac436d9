#include "base/concurrency/thread_failure.h"
#include "job/context.h"
#include "job/lifecycle/reconcile.h"

#include <system_error>
#include <utility>

namespace kinetic::job {
namespace {

/// How long a command waits for the reconciliation of unrelated jobs.
constexpr std::chrono::seconds kMaxWait{2};

}  // namespace

void Reconciler::Start(Context& context) {
  const std::lock_guard lock(mutex_);
  const bool failed = sweep_ && !*sweep_;
  if (started_ && !failed) return;
  if (thread_.joinable()) thread_.join();
  sweep_.reset();
  wait_for_all_ = !context.target->Traits().is_remote;
  started_ = std::chrono::steady_clock::now();
  try {
    thread_ = std::jthread([this, &context](const std::stop_token& stop) { Run(context, stop); });
  } catch (const std::system_error& error) {
    sweep_ = ThreadFailure("looking for abandoned jobs", error);
  }
}

void Reconciler::Run(Context& context, const std::stop_token& stop) {
  const auto abandoned = context.target->Sweep(stop);
  {
    const std::lock_guard lock(mutex_);
    if (abandoned) {
      for (const auto& job : *abandoned) pending_.insert(job.id);
    }
    sweep_ = abandoned ? Status() : Status(Failure(abandoned.error()));
  }
  changed_.notify_all();
  if (!abandoned) return context.Log(LogLevel::kWarning, abandoned.error().message);
  const auto done = [&](std::string_view id) {
    {
      const std::lock_guard lock(mutex_);
      pending_.erase(std::string(id));
    }
    changed_.notify_all();
  };
  (void)ReconcileJobs(context, *abandoned, done, stop);
  const std::lock_guard lock(mutex_);
  pending_.clear();
  changed_.notify_all();
}

Status Reconciler::Wait(std::string_view id, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto swept = [&] { return sweep_.has_value(); };
  if (!changed_.wait(lock, stop, swept)) return Fail(ErrorCode::kCancelled, "stopped");
  if (!*sweep_ && stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
  if (!*sweep_) return *sweep_;
  const auto all = [&] { return pending_.empty(); };
  const auto is_done = [&] { return !pending_.contains(id); };
  if (!wait_for_all_) (void)changed_.wait_until(lock, stop, *started_ + kMaxWait, all);
  const bool reconciled =
      wait_for_all_ ? changed_.wait(lock, stop, all) : changed_.wait(lock, stop, is_done);
  if (!reconciled) return Fail(ErrorCode::kCancelled, "stopped");
  return {};
}

}  // namespace kinetic::job
