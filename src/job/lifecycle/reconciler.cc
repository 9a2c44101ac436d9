#include "job/context.h"
#include "job/lifecycle/reconcile.h"

#include <utility>

namespace kinetic::job {
namespace {

/// How long a command waits for the reconciliation of unrelated jobs.
constexpr std::chrono::seconds kCourtesy{2};

}  // namespace

void Settling::Begin(Context& context) {
  const std::lock_guard lock(mutex_);
  const bool failed = swept_ && !*swept_;
  if (begun_ && !failed) return;
  if (thread_.joinable()) thread_.join();
  swept_.reset();
  patient_ = !context.IsOnCluster();
  begun_ = std::chrono::steady_clock::now();
  thread_ = std::jthread([this, &context](const std::stop_token& stop) { Run(context, stop); });
}

void Settling::Run(Context& context, const std::stop_token& stop) {
  const auto abandoned = context.target->Sweep(stop);
  {
    const std::lock_guard lock(mutex_);
    if (abandoned) {
      for (const auto& job : *abandoned) open_.insert(job.id);
    }
    swept_ = abandoned ? Status() : Status(Failure(abandoned.error()));
  }
  changed_.notify_all();
  if (!abandoned) return context.Log(LogLevel::kWarning, abandoned.error().message);
  const auto done = [&](std::string_view id) {
    {
      const std::lock_guard lock(mutex_);
      open_.erase(std::string(id));
    }
    changed_.notify_all();
  };
  (void)SettleEach(context, *abandoned, done, stop);
  const std::lock_guard lock(mutex_);
  open_.clear();
  changed_.notify_all();
}

Status Settling::Await(std::string_view id, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const auto swept = [&] { return swept_.has_value(); };
  if (!changed_.wait(lock, stop, swept)) return Fail(ErrorCode::kCancelled, "stopped");
  if (!*swept_) return *swept_;
  const auto all = [&] { return open_.empty(); };
  const auto its = [&] { return !open_.contains(id); };
  if (!patient_) (void)changed_.wait_until(lock, stop, *begun_ + kCourtesy, all);
  const bool settled = patient_ ? changed_.wait(lock, stop, all) : changed_.wait(lock, stop, its);
  if (!settled) return Fail(ErrorCode::kCancelled, "stopped");
  return {};
}

}  // namespace kinetic::job
