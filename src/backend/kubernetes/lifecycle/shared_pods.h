#pragma once

#include "kinetic/result.h"

#include "record/status.h"
#include "store/object_store.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// Tasks that share pods. Kubernetes has only the states of the pods. Those of the tasks are in the
/// store.
namespace kinetic::backend {

/// Whether a task runs in its pod.
enum class SharedTaskState : std::uint8_t { kWaiting, kStarted, kEnded };

/// @errors  those of Store.
Result<SharedTaskState> ReadSharedTask(store::Store& store, std::string_view id,
                                       const std::stop_token& stop);

/// Counts the ended tasks of an array. Lists those that have ended since the last time, and some
/// before them.
///
/// @threads  one thread at a time.
class EndedCounts {
 public:
  /// @param store  outlives this object.
  EndedCounts(store::Store& store, std::string_view job) : store_(store), job_(job) {}

  /// Replaces the numbers of ended tasks in the status, which come from the Job of the array.
  ///
  /// @errors  those of Store.
  Status Correct(record::AttemptStatus& status, const std::stop_token& stop);

 private:
  Status List(std::uint32_t tasks, const std::stop_token& stop);

  store::Store& store_;
  const std::string job_;
  TaskCounts ended_;
  std::vector<bool> seen_;
  std::uint32_t first_ = 0;  ///< the tasks before it are all seen
};

}  // namespace kinetic::backend
