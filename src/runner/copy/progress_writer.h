#pragma once

#include "base/time/clock.h"
#include "record/job_key.h"
#include "runner/copy/counter.h"
#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace kinetic::runner {

/// Stores the progress of a copy every two seconds on its own thread, so that the client knows that
/// the runner works on it, and requests a stop when the client has removed its request. The first
/// progress also claims the request: after a restart of the program, its new runner finds it.
class CopyProgressWriter {
 public:
  struct Names {
    record::JobKey job;
    std::string request;  ///< the id
  };

  /// Stores the first progress. Returns nullopt if there is one, of an earlier runner.
  static Result<std::optional<store::ObjectInfo>> Claim(store::Store& store, const Names& names,
                                                        const std::stop_token& stop);

  /// @param claim  what Claim returned.
  CopyProgressWriter(store::Store& store, Clock& clock, Names names, store::ObjectInfo claim,
                     const CopyCounter& counter);

  ~CopyProgressWriter();
  CopyProgressWriter(const CopyProgressWriter&) = delete;
  CopyProgressWriter& operator=(const CopyProgressWriter&) = delete;

  /// Requested when the request is gone.
  std::stop_token abandoned() const { return abandoned_.get_token(); }

 private:
  void Work(const std::stop_token& stop);
  void Write(const std::stop_token& stop);

  store::Store& store_;
  Clock& clock_;
  const Names names_;
  const CopyCounter& counter_;
  std::stop_source abandoned_;
  store::ObjectInfo stored_;
  std::jthread thread_;  ///< last: it uses all other members
};

}  // namespace kinetic::runner
