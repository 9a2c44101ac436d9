#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "google/api/client.h"

#include <functional>
#include <stop_token>
#include <string>

namespace kinetic::google {

/// Waits for a long-running operation of a Google API: with `done` (google.longrunning.Operation),
/// or with the status DONE (GKE, Compute Engine). Polls every 0.2 s at first and every 10 s later.
///
/// @param   path  returns the path of an operation, given its name.
/// @errors  those of the operation · kCancelled.
/// @source  https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.operations
Status WaitForOperation(const ApiClient& api, std::string_view service, const Value& operation,
                        const std::function<std::string(const std::string& name)>& path,
                        std::stop_token stop);

/// Returns the error of a finished operation, also from its `nodepoolConditions` and
/// `clusterConditions`, which state the reason of a stock-out or an exceeded quota.
Status ResultOfOperation(const Value& operation);

}  // namespace kinetic::google
