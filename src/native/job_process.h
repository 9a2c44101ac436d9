#pragma once

#include "kinetic/job_context.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <string>
#include <string_view>

/// The state of a program that called InitFunctions.
namespace kinetic::inline v0::native {

/// Returns whether InitFunctions was called, so that a job of this program calls its function.
bool IsEnabled();

/// How the runner called this program.
struct CallRequest {
  int control = 0;  ///< descriptor
  Path exchange;
  std::string function;
};

/// Calls the function and reports its result to the runner. Returns the exit code.
int CallFunction(const CallRequest& request);

/// Sets what CurrentJob returns. Call once, before other threads exist.
void SetCurrentJob(JobContext context);

/// Formats job.json. @errors of the parser: kDataLoss.
std::string ToJson(const JobContext& context);
Result<JobContext> JobContextFromJson(std::string_view json);

}  // namespace kinetic::inline v0::native
