#include "job/warm_images.h"

#include "base/try.h"
#include "job/base_pin.h"
#include "job/environment_builder.h"
#include "job/images.h"
#include "job/make_environment.h"
#include "job/open_target.h"
#include "job/own_dockerfile.h"
#include "job/phase_log.h"
#include "job/plan.h"
#include "target/kubernetes_preflight.h"
#include "target/kubernetes_warm.h"

#include <string>
#include <utility>

namespace kinetic::job {
namespace {

Failure NotMade() {
  return Fail(ErrorCode::kFailedPrecondition,
              "the image that the job is to run in is not there: nothing to pull",
              "have it made: kinetic image build");
}

Result<std::string> ImageOfDockerfile(const Context& context, const JobSpec& spec,
                                      const target::BaseImage& base, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const OwnDockerfile own, ReadOwnDockerfile(context, spec, base, stop));
  KINETIC_ASSIGN_OR_RETURN(auto image, FindOwnImage(context, own, stop));
  if (image) return *std::move(image);
  return NotMade();
}

/// The image that the job's program would run in, if it were sent now.
Result<std::string> ImageOfJob(Context& context, const JobSpec& spec, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto environment, LookAtEnvironment(context, spec, stop));
  if (HasOwnDockerfile(spec)) return ImageOfDockerfile(context, spec, *environment.base, stop);
  KINETIC_RETURN_IF_ERROR(FindEnvironment(context, environment, stop));
  const auto& ready = environment.ready;
  if (ready && !ready->image.empty()) return ready->image;
  if (!environment.manifest || !MakesImages(context)) {
    return PinnedBase(*environment.base,
                      environment.lock ? environment.lock->lock.base_image : std::string());
  }
  return NotMade();
}

}  // namespace

Result<WarmReport> WarmImages(Context& context, const JobSpec& spec, const WarmOptions& options,
                              std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckUsesImages(context));
  target::WarmRequest request{.spec = spec,
                              .image = {},
                              .cluster = context.options.profile.kubernetes,
                              .pool = options.pool};
  KINETIC_ASSIGN_OR_RETURN(request.image, ImageOfJob(context, spec, stop));
  KINETIC_ASSIGN_OR_RETURN(
      const cloud::Cluster cluster,
      OpenClusterOf(context.options, SeamsOf(context.options, context.fs, context.clock), {},
                    stop));
  const kube::Client client(*cluster.transport, context.clock, {.server = cluster.server});
  request.cluster.name_space = cluster.default_namespace;
  KINETIC_ASSIGN_OR_RETURN(const auto ground, target::CheckGround(client, cluster.default_namespace,
                                                                  request.cluster, stop));
  request.restricted = ground.restricted;
  PhaseLog observer(context, options.observer);
  observer.OnPhaseBegin(Phase::kPull, request.image);
  WarmOptions observed = options;
  observed.observer = &observer;
  KINETIC_ASSIGN_OR_RETURN(auto report,
                           target::WarmNodes(client, request, observed, std::move(stop)));
  observer.OnPhaseEnd(Phase::kPull, std::to_string(report.nodes.size()) +
                                        (report.nodes.size() == 1 ? " node" : " nodes"));
  return report;
}

}  // namespace kinetic::job
