#include "google/api/services.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/resources/all.h"
#include "provision/resources/api_resource.h"

#include <string>
#include <utility>

namespace kinetic::provision {
namespace {

/// Deletes images after 30 days, except the ten newest of each name. kinetic builds a package image
/// again when a job needs it.
///
/// @source  https://cloud.google.com/artifact-registry/docs/repositories/cleanup-policy
Value CleanupPolicies() {
  return Value::Map{
      {"delete-old",
       Value::Map{{"id", "delete-old"},
                  {"action", "DELETE"},
                  {"condition", Value::Map{{"olderThan", "2592000s"}, {"tagState", "ANY"}}}}},
      {"keep-recent", Value::Map{{"id", "keep-recent"},
                                 {"action", "KEEP"},
                                 {"mostRecentVersions", Value::Map{{"keepCount", 10}}}}}};
}

}  // namespace

std::unique_ptr<Resource> MakeRepository(const Scope& scope) {
  const std::string service(google::kArtifactRegistry);
  const Value body(Value::Map{{"format", "DOCKER"},
                              {"mode", "STANDARD_REPOSITORY"},
                              {"description", "Images of the kinetic cluster " + scope.name},
                              {"labels", Value::Map{{std::string(kOwnerLabel), scope.name}}},
                              {"cleanupPolicies", CleanupPolicies()}});
  ApiResourceSpec spec;
  spec.kind = "repository";
  spec.name = scope.name;
  spec.detail = "for images, in " + scope.Region();
  spec.needs = {"APIs"};
  spec.service = service;
  spec.path = "/v1/" + scope.RepositoryPath();
  spec.create = {
      "POST", service,
      "/v1/" + scope.RegionPath() + "/repositories?repositoryId=" + http::PercentEncode(scope.name),
      body};
  spec.operation_path = [](const std::string& operation) { return "/v1/" + operation; };
  spec.compare = [name = scope.name](const Value& existing) {
    const Value* labels = existing.Find("labels");
    Comparison comparison;
    comparison.ours = labels != nullptr && json::TextAt(*labels, kOwnerLabel) == name;
    return comparison;
  };
  return MakeApiResource(*scope.api, std::move(spec));
}

}  // namespace kinetic::provision
