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

/// The targets that a client's jobs are on: its own, to which its profile leads, and clusters to
/// which it led when some of them were submitted. A job is asked after on the cluster of its
/// record, whatever became of the kubeconfig's contexts meanwhile.
///
/// @threads  safe to call concurrently.
class OtherClusters {
 public:
  /// Opens the cluster of an identity, without asking it anything.
  using Opener = std::function<Result<std::shared_ptr<target::Target>>(const std::string& identity,
                                                                       std::stop_token stop)>;

  explicit OtherClusters(std::shared_ptr<Context> own, Opener open = {});

  Context& own() const { return *own_; }

  /// What works on a job: `own`, or a context whose target is the job's cluster, opened when it is
  /// first asked for and kept. Where no cluster can be opened for it that context has
  /// Context::elsewhere; a job of another machine's local target is left to `own`.
  ///
  /// @errors  those of ReadRecord, where the summary does not say where the job is.
  Result<std::shared_ptr<Context>> Of(const JobSummary& job, std::stop_token stop);

 private:
  const std::shared_ptr<Context> own_;
  const Opener open_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Context>> others_;  ///< by identity
};

}  // namespace kinetic::job
