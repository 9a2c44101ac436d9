#include "kinetic/health.h"

#include "backend/capabilities.h"
#include "backend/target.h"
#include "job/context.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace kinetic::inline v0 {
namespace {

Result<std::string> ProbePodOf(ClientOptions options, std::chrono::seconds deadline,
                               const std::stop_token& stop) {
  const auto context = job::OpenContext(std::move(options), stop);
  if (!context) return Failure(context.error());
  backend::PodProber* prober = (*context)->target->pod_prober();
  if (prober == nullptr) {
    return Fail(ErrorCode::kUnimplemented, "the target has no pods", "use --target PROFILE");
  }
  return prober->ProbePod(deadline, stop);
}

}  // namespace

HealthCheck CheckPod(ClientOptions options, std::chrono::seconds deadline, std::stop_token stop) {
  HealthCheck check{.name = "pod"};
  const auto node = ProbePodOf(std::move(options), deadline, stop);
  if (node) {
    check.evidence = fmt::format("pulled the runner image on node {} and used the store", *node);
    return check;
  }
  check.health = Health::kFailed;
  check.evidence = node.error().message;
  check.advice = node.error().hint;
  return check;
}

}  // namespace kinetic::inline v0
