#pragma once

#include "support/gcs_server/call.h"

#include <optional>
#include <string>

namespace kinetic::gcs_server {

/// What an upload is to become.
struct UploadPlan {
  std::string bucket;
  std::string name;
  nlohmann::json attributes;
  DeclaredSums sums;
  Preconditions conditions;
};

/// From the query, the metadata and the headers of a request. @errors 400, 403, 404 (the bucket)
Outcome<UploadPlan> PlanUpload(const Call& call, const std::string& bucket,
                               const nlohmann::json& metadata);

/// Whether the preconditions hold now: what they are at the end is looked at again.
Outcome<void> CheckPlan(const Call& call, const UploadPlan& plan);

/// Holds the sums against what was declared and stores the object. @errors 400, 403, 412
Outcome<ObjectPtr> CommitUpload(Call& call, const UploadPlan& plan, WrittenContent written);

}  // namespace kinetic::gcs_server
