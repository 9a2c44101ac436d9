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

/// Settles what clients before this one left of a target's jobs, once, beside what is asked for.
///
/// @threads  safe to call concurrently.
class Settling {
 public:
  Settling() = default;
  /// What has not been settled is left for the next client.
  ~Settling() = default;
  Settling(const Settling&) = delete;
  Settling& operator=(const Settling&) = delete;

  /// Begins, unless it has begun; after a failure it begins anew. `context` is what this is a
  /// member of.
  void Begin(Context& context);

  /// Waits until all is settled; on a cluster for two seconds since the beginning at the longest,
  /// but for the job `id`, if that has to be settled.
  ///
  /// @errors  those of Target::Sweep · kCancelled by `stop`, which does not end the settling.
  Status Await(std::string_view id, const std::stop_token& stop);

 private:
  void Run(Context& context, const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Status> swept_;  ///< nothing: it is not known yet what there is to do
  std::set<std::string, std::less<>> open_;
  bool patient_ = false;
  std::optional<std::chrono::steady_clock::time_point> begun_;
  std::jthread thread_;
};

}  // namespace kinetic::job
