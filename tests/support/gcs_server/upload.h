#pragma once

#include "support/gcs_server/call.h"

#include <optional>
#include <string>

namespace kinetic::gcs_server {

/// Target and properties of an upload.
struct UploadPlan {
  std::string bucket;
  std::string name;
  nlohmann::json attributes;
  DeclaredSums sums;
  Preconditions conditions;
};

/// Reads them from query, metadata and headers of a request. @errors 400, 403, 404 (the bucket)
Outcome<UploadPlan> PlanUpload(const Call& call, const std::string& bucket,
                               const nlohmann::json& metadata);

/// Checks the preconditions now; they are checked again at the end.
Outcome<void> CheckPlan(const Call& call, const UploadPlan& plan);

/// Verifies the declared checksums and stores the object. @errors 400, 403, 412
Outcome<ObjectPtr> CommitUpload(Call& call, const UploadPlan& plan, WrittenContent written);

}  // namespace kinetic::gcs_server
