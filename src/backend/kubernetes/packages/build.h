#pragma once

#include "kinetic/observer.h"

#include "backend/kubernetes/packages/job.h"
#include "base/time/clock.h"
#include "kube/client.h"

#include <stop_token>

namespace kinetic::backend {

/// Where packages are made.
struct MakingPlace {
  const kube::Client& client;
  const kube::Client& leaving;  ///< gives up soon: for who wants to be gone
  Clock& clock;
};

/// PackageBuilder::BuildPackages. The Job has one name for all who want the same: who finds it
/// there follows it, and makes one anew where that has ended or goes. It is removed by whoever sees
/// it end, and by the client that made it when that is stopped; the Secret goes with it. One whose
/// client was killed works on, and stores what the next one finds.
Status MakePackagesInPod(const MakingPlace& place, const PackagesManifestRequest& request,
                         Observer& observer, std::stop_token stop);

}  // namespace kinetic::backend
