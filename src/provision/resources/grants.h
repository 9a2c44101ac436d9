#pragma once

#include "provision/resources/access.h"
#include "provision/scope.h"

#include <string>

namespace kinetic::provision {

/// Nodes write logs and metrics.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/hardening-your-cluster
AccessSpec NodesRun(const Scope& scope);

/// Nodes pull images of the repository.
///
/// @param account  email address of their service account.
AccessSpec NodesPull(const Scope& scope, const std::string& account);

/// Pods read and write the bucket. The pool of identities of the project exists once it has a
/// cluster with Workload Identity. The second role has storage.buckets.get, which parallel uploads
/// need.
AccessSpec PodsStore(const Scope& scope);

/// Returns the same grants, which for a new bucket replace those of Google for all editors and viewers
/// of the project: they would include the folders of users. Also returns those of earlier versions. The member of the latter is
/// the same in all clusters of the project. Profiles of these versions still use it, so `kinetic up`
/// keeps the grants and `kinetic down` removes them.
AccessSpec PodsStoreWithEarlier(const Scope& scope);

}  // namespace kinetic::provision
