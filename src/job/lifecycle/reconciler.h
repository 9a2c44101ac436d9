#pragma once

#include "kinetic/result.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace kinetic::job {

struct Context;

/// Reconciles, once and in the background, the abandoned jobs that earlier clients left on a
/// target.
///
/// @threads  safe to call concurrently.
class Settling {
 public:
  Settling() = default;
  /// Leaves the remaining jobs to the next client.
  ~Settling() = default;
  Settling(const Settling&) = delete;
  Settling& operator=(const Settling&) = delete;

  /// Starts unless already started. Starts again after a failure. `context` must be the owner of
  /// this object.
  void Begin(Context& context);

  /// Waits until all jobs are reconciled. On a cluster, waits at most two seconds from the start,
  /// except for job `id`, if that job must be reconciled.
  ///
  /// @errors  errors of Target::Sweep · kCancelled by `stop`, which does not stop the
  ///          reconciliation.
  Status Await(std::string_view id, const std::stop_token& stop);

 private:
  void Run(Context& context, const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Status> swept_;  ///< nullopt: the sweep has not finished
  std::set<std::string, std::less<>> open_;
  bool patient_ = false;
  std::optional<std::chrono::steady_clock::time_point> begun_;
  std::jthread thread_;
};

}  // namespace kinetic::job
