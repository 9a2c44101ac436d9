#pragma once

#include "kinetic/job.h"

#include "job/context.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// The targets of a client's jobs: the target of its profile, and clusters to which the profile
/// referred when jobs were submitted. A job is queried on the cluster of its record, even if the
/// kubeconfig contexts have changed since.
///
/// @threads  safe to call concurrently.
class ClusterContexts {
 public:
  /// Opens the cluster with this identity without sending a request.
  using Opener = std::function<Result<std::shared_ptr<backend::Target>>(const std::string& identity,
                                                                        std::stop_token stop)>;

  explicit ClusterContexts(std::shared_ptr<Context> own, Opener open = {});

  Context& own() const { return *own_; }
  const std::shared_ptr<Context>& shared() const { return own_; }

  /// Returns the context for a job: `own`, or a context whose target is the job's cluster. Other
  /// contexts are opened on first use and kept. If the cluster cannot be opened, the context has
  /// Context::cluster_error, and the next call tries again. A job on another machine's local target
  /// uses `own`.
  ///
  /// @errors  errors of ReadRecord, if the summary does not contain the job's target.
  Result<std::shared_ptr<Context>> ForJob(const JobSummary& job, std::stop_token stop);

 private:
  const std::shared_ptr<Context> own_;
  const Opener open_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Context>> others_;  ///< by identity
};

}  // namespace kinetic::job
