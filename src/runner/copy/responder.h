#pragma once

#include "kinetic/result.h"

#include "base/concurrency/waiter.h"
#include "base/time/clock.h"
#include "record/copy.h"
#include "runner/copy/serve.h"
#include "store/object_store.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

namespace kinetic::runner {

/// Time after the start of a program before its job is first checked for copy requests, so that a
/// short job is never checked.
inline constexpr std::chrono::seconds kFirstCopyPoll{5};

/// Responds to the requests to copy files to and from a running job. Without a request, reads only
/// the state of one object: every 5 seconds in a bucket, every 2 seconds in a folder.
///
/// Failures of the store end a copy and are not retried: its client waits.
class CopyResponder {
 public:
  /// @param job  outlives this object.
  CopyResponder(const CopiedJob& job, Clock& clock);

  /// Stops the copies and responds to their requests.
  ~CopyResponder();
  /// Makes this object check for requests now. Safe to call from any thread.
  void CheckNow();
  CopyResponder(const CopyResponder&) = delete;
  CopyResponder& operator=(const CopyResponder&) = delete;

 private:
  void Work(const std::stop_token& stop);
  void Poll(const std::stop_token& stop);
  Status StartNew(const std::stop_token& stop);
  Status Start(const store::ObjectInfo& object, const std::string& id, const std::stop_token& stop);
  void Answer(const std::string& id, const record::CopyRequest& request);
  Result<record::CopyAnswer> Serve(const std::string& id, const record::CopyRequest& request);
  Status StoreAnswer(const std::string& id, const record::CopyAnswer& answer);
  std::chrono::milliseconds Interval() const;

  const CopiedJob job_;
  Clock& clock_;
  const record::JobKey key_;
  Waiter waiter_;
  std::atomic<bool> check_now_ = false;
  /// A state of the marker, which clients touch after they stored a request.
  struct Marker {
    std::int64_t generation = 0;
    std::int64_t metageneration = 0;
    bool operator==(const Marker&) const = default;
  };
  std::optional<Marker> seen_;         ///< at the last check
  std::optional<Marker> answered_;     ///< all requests of this state were started
  std::optional<SteadyTime> changed_;  ///< when the marker last changed
  std::set<std::string> known_;        ///< requests that need no further work
  std::stop_source stop_copies_;
  std::map<std::string, std::future<void>> copies_;  ///< running, by request
  std::jthread thread_;                              ///< last: it uses all other members
};

}  // namespace kinetic::runner
