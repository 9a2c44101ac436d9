#pragma once

#include "kinetic/job.h"

#include "job/context.h"

#include <memory>
#include <string>

namespace kinetic {

/// A job of an open client. Keeps the client's context alive.
class Job::Impl {
 public:
  Impl(std::shared_ptr<job::Context> context, JobSummary summary)
      : context_(std::move(context)), summary_(std::move(summary)) {}

  const std::string& id() const { return summary_.id; }
  job::Context& context() const { return *context_; }
  const std::shared_ptr<job::Context>& shared_context() const { return context_; }
  /// Returns the summary from when the job was found or submitted.
  const JobSummary& summary() const { return summary_; }

 private:
  std::shared_ptr<job::Context> context_;
  JobSummary summary_;
};

}  // namespace kinetic
