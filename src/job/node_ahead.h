#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/observer.h"

#include "job/context.h"

#include <memory>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// A node that is asked for while something is still made for a job, so that both take their time
/// together. Whatever goes wrong with it is a line in the log and no more, and nobody waits for it.
///
/// @threads  safe to call concurrently.
class NodeAhead {
 public:
  /// Context and observer outlive it.
  NodeAhead(Context& context, const JobSpec& spec, Observer& observer);
  NodeAhead(const NodeAhead&) = delete;
  NodeAhead& operator=(const NodeAhead&) = delete;
  ~NodeAhead() { TakeBack(); }

  /// Something is to be made that nobody has. The first call begins to ask, where the profile wants
  /// that and jobs run on nodes; a job with a queue has Kueue do so.
  ///
  /// @param image  as target::NodeWish has it.
  void Ask(const std::string& image);

  /// What was asked for is the job's own to ask for from now on, or of no more use: begins to take
  /// it back, if there is something.
  void TakeBack();

  /// Whether a node has been asked for.
  bool IsAsked() const;

 private:
  struct State;

  Context& context_;
  const JobSpec& spec_;
  std::shared_ptr<State> state_;
  std::stop_source stop_;
};

}  // namespace kinetic::job
