#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/observer.h"

#include "job/context.h"

#include <memory>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// Requests a node while the environment of a job is still being built, so that both proceed in
/// parallel. Errors are only logged, and no caller waits for the request.
///
/// @threads  safe to call concurrently.
class ProvisioningRequest {
 public:
  /// Context and observer must outlive this object.
  ProvisioningRequest(Context& context, const JobSpec& spec, Observer& observer);
  ProvisioningRequest(const ProvisioningRequest&) = delete;
  ProvisioningRequest& operator=(const ProvisioningRequest&) = delete;
  ~ProvisioningRequest() { Withdraw(); }

  /// Requests a node because something must be built. Only the first call has an effect, and only
  /// if the profile enables it, jobs run on nodes and the job has no queue. Kueue requests nodes
  /// for jobs with a queue.
  ///
  /// @param image  as in backend::NodeRequest.
  void Request(const std::string& image);

  /// Withdraws the request in the background, because the job now requests its own node or needs
  /// none.
  void Withdraw();

  /// Returns whether a node was requested.
  bool IsRequested() const;

 private:
  struct State;

  Context& context_;
  const JobSpec& spec_;
  std::shared_ptr<State> state_;
  std::stop_source stop_;
};

}  // namespace kinetic::job
