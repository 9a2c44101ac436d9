#include "base/strings.h"
#include "google/api/services.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/resources/all.h"
#include "provision/resources/api_resource.h"
#include "provision/resources/storage_client.h"

#include <string>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

/// @source  https://cloud.google.com/storage/docs/soft-delete
Value NoSoftDelete() { return Value::Map{{"retentionDurationSeconds", "0"}}; }

Value UniformAccess() {
  return Value::Map{{"uniformBucketLevelAccess", Value::Map{{"enabled", true}}},
                    {"publicAccessPrevention", "enforced"}};
}

bool KeepsDeletedObjects(const Value& bucket) {
  const Value* policy = bucket.Find("softDeletePolicy");
  if (policy == nullptr) return false;
  const std::string seconds = json::TextAt(*policy, "retentionDurationSeconds");
  return !seconds.empty() && seconds != "0";
}

bool HasLabel(const Value& bucket, const std::string& cluster) {
  const Value* labels = bucket.Find("labels");
  return labels != nullptr && json::TextAt(*labels, kOwnerLabel) == cluster;
}

/// Returns a warning about a bucket in another region than the cluster, or "".
std::string OtherRegion(const Value& bucket, const std::string& region) {
  const std::string location = ToLower(json::TextAt(bucket, "location"));
  const bool is_region = location.find('-') != std::string::npos;  // unlike "us"
  if (!is_region || location == region) return "";
  return "the bucket is in " + location + ", not in the cluster's region " + region +
         ": traffic between them costs money";
}

}  // namespace

std::unique_ptr<Resource> MakeBucket(const Scope& scope, const ClusterAdminOptions& options) {
  const std::string service(google::kStorage);
  const std::string path = "/storage/v1/b/" + http::PercentEncode(scope.Bucket());
  const Value body(Value::Map{{"name", scope.Bucket()},
                              {"location", scope.Region()},
                              {"storageClass", "STANDARD"},
                              {"iamConfiguration", UniformAccess()},
                              {"softDeletePolicy", NoSoftDelete()},
                              {"labels", Value::Map{{std::string(kOwnerLabel), scope.name}}}});
  ApiResourceSpec spec;
  spec.kind = "bucket";
  spec.name = "gs://" + scope.Bucket();
  spec.detail = "in " + scope.Region();
  spec.needs = {"APIs"};
  spec.service = service;
  spec.path = path;
  spec.create = {"POST", service, "/storage/v1/b?project=" + http::PercentEncode(scope.project),
                 body};
  spec.compare = [=, name = scope.name, region = scope.Region(),
                  number = scope.project_number](const Value& existing) {
    Comparison comparison;
    // Names are global, and anyone can create a bucket with this name and label.
    const bool is_foreign = json::TextAt(existing, "projectNumber") != number;
    if (is_foreign) comparison.problem = "belongs to another project";
    comparison.ours = HasLabel(existing, name) && !is_foreign;
    if (auto warning = OtherRegion(existing, region); !warning.empty())
      comparison.warnings.push_back(std::move(warning));
    if (KeepsDeletedObjects(existing)) {
      comparison.changes = {
          {"PATCH", service, path, Value::Map{{"softDeletePolicy", NoSoftDelete()}}}};
      comparison.detail = "turn off soft delete, which prevents parallel uploads";
    }
    return comparison;
  };
  // Cloud Storage only deletes empty buckets.
  spec.before_removal = [bucket = scope.Bucket(), &options](std::stop_token stop) {
    return RemoveObjects(bucket, "", options, std::move(stop));
  };
  return MakeApiResource(*scope.api, std::move(spec));
}

}  // namespace kinetic::provision
