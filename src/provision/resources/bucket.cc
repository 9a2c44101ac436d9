#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "connect/connection.h"
#include "gcs/client.h"
#include "google/api/services.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/resources/all.h"
#include "provision/resources/api_resource.h"

#include <string>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

constexpr std::size_t kDeletedAtOnce = 1'000;

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

std::string StorageEndpoint(const CloudOptions& cloud) {
  if (!cloud.storage_endpoint.empty()) return cloud.storage_endpoint;
  if (!cloud.api_endpoint.empty()) return cloud.api_endpoint + "/" + std::string(google::kStorage);
  return gcs::ClientOptions{}.endpoint;
}

/// Deletes all objects, because Cloud Storage only deletes empty buckets.
Status EmptyBucket(const std::string& bucket, const ClusterAdminOptions& options,
                   std::stop_token stop) {
  CloudOptions cloud = options.cloud;
  cloud.storage_endpoint = StorageEndpoint(cloud);
  const connect::Dependencies deps{
      .fs = PosixFileSystem(), .clock = SystemClock(), .log = options.log};
  KINETIC_ASSIGN_OR_RETURN(const auto connection, connect::Connection::Open(cloud, deps, stop));
  const gcs::Client client(*connection, SystemClock(), bucket,
                           {.endpoint = cloud.storage_endpoint});
  for (;;) {
    std::vector<gcs::DeleteRequest> requests;
    const auto add = [&](const gcs::Object& object) -> Result<bool> {
      requests.push_back({.name = object.name});
      return requests.size() < kDeletedAtOnce;
    };
    const Status listed = client.List({}, add, nullptr, stop);
    if (!listed && listed.error().code == ErrorCode::kNotFound) return {};
    KINETIC_RETURN_IF_ERROR(listed);
    if (requests.empty()) return {};
    KINETIC_RETURN_IF_ERROR(client.DeleteAll(requests, stop));
  }
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
  spec.compare = [=, name = scope.name](const Value& existing) {
    Comparison comparison;
    comparison.ours = HasLabel(existing, name);
    if (KeepsDeletedObjects(existing)) {
      comparison.changes = {
          {"PATCH", service, path, Value::Map{{"softDeletePolicy", NoSoftDelete()}}}};
      comparison.detail = "turn off soft delete, which prevents parallel uploads";
    }
    return comparison;
  };
  spec.before_removal = [bucket = scope.Bucket(), &options](std::stop_token stop) {
    return EmptyBucket(bucket, options, std::move(stop));
  };
  return MakeApiResource(*scope.api, std::move(spec));
}

}  // namespace kinetic::provision
