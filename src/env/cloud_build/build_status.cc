#include "base/strings.h"
#include "env/cloud_build/build_io.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinetic::env {
namespace {

using google::BuildStatus;

/// The cause of a failure, and a remedy.
struct Cause {
  ErrorCode code;
  std::string text;
  std::string hint = {};
};

const google::StepOutcome* FailedStep(const google::Build& build) {
  const auto failed = std::ranges::find_if(build.steps, [](const google::StepOutcome& step) {
    return google::IsTerminal(step.status) && step.status != BuildStatus::kSuccess;
  });
  return failed == build.steps.end() ? nullptr : &*failed;
}

std::string DescribeStep(const google::StepOutcome& step) {
  std::string text = fmt::format("step {} ({}) failed", Printable(step.id), Printable(step.image));
  if (step.exit_code != 0) text += fmt::format(" with exit code {}", step.exit_code);
  return text;
}

/// Appends the service's details that `text` does not contain.
std::string WithDetails(std::string text, const google::Build& build) {
  for (const std::string& detail : {build.status_detail, build.failure_detail}) {
    if (!detail.empty() && text.find(Printable(detail)) == std::string::npos) {
      text += "; " + Printable(detail);
    }
  }
  return text;
}

Cause FailureCause(const google::Build& build) {
  const std::string& type = build.failure;
  if (type == "PUSH_NOT_AUTHORIZED") {
    return {
        ErrorCode::kPermissionDenied,
        "the build's service account is not allowed to push the image",
        "grant roles/artifactregistry.writer to the build's service account, or set another one "
        "as build_service_account"};
  }
  if (type == "PUSH_FAILED" || type == "PUSH_IMAGE_NOT_FOUND") {
    return {ErrorCode::kFailedPrecondition, "the build could not push the image"};
  }
  if (type == "FETCH_SOURCE_FAILED") {
    return {ErrorCode::kFailedPrecondition, "the build could not read its source from the store",
            "grant roles/storage.objectUser on the bucket to the build's service account"};
  }
  if (type == "LOGGING_FAILURE") {
    return {ErrorCode::kFailedPrecondition, "the build could not write its log to the store",
            "grant roles/storage.objectUser on the bucket to the build's service account"};
  }
  return {ErrorCode::kFailedPrecondition, "the build failed"};
}

Cause CauseOf(const google::Build& build) {
  switch (build.status) {
    case BuildStatus::kTimeout:
      return {ErrorCode::kDeadlineExceeded, "the build exceeded its timeout",
              "increase build_timeout, or set a larger build_machine"};
    case BuildStatus::kExpired:
      return {ErrorCode::kDeadlineExceeded, "the build timed out in the queue",
              "request a higher quota for concurrent builds, or set another build_region"};
    case BuildStatus::kCancelled:
      return {ErrorCode::kAborted, "the build was cancelled", "run the command again"};
    case BuildStatus::kInternalError:
      return {ErrorCode::kUnavailable, "internal error in Cloud Build", "run the command again"};
    default:
      return FailureCause(build);
  }
}

}  // namespace

Status CloudBuildStatus(const google::Build& build, const std::string& image,
                        const std::vector<std::string>& last_lines) {
  if (build.status == BuildStatus::kSuccess) return {};
  Cause cause = CauseOf(build);
  const google::StepOutcome* step = FailedStep(build);
  const bool by_step = build.status == BuildStatus::kFailure && step != nullptr;
  std::string message =
      fmt::format("Cloud Build failed to build {}: {}", image,
                  by_step ? DescribeStep(*step) : WithDetails(std::move(cause.text), build));
  if (!last_lines.empty()) message += ":\n  " + Join(last_lines, "\n  ");
  std::string hint = std::move(cause.hint);
  if (!build.log_url.empty()) {
    hint += (hint.empty() ? "full log: " : "; full log: ") + Printable(build.log_url);
  }
  Error error{cause.code, std::move(message), std::move(hint), {}};
  return Failure(std::move(error)
                     .With("build", build.id)
                     .With("build_status", std::string(google::ToString(build.status))));
}

}  // namespace kinetic::env
