#include "kinetic/try.h"

#include "base/files/file_system.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "google/api/services.h"
#include "google/error.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/location.h"
#include "provision/plan.h"

#include <memory>
#include <string>
#include <utility>

namespace kinetic::provision {
namespace {

bool IsQuotaProjectDenied(const Error& error) {
  return google::DetailOf(error, "reason") == google::kQuotaProjectDenied;
}

/// Returns "projects/NUMBER", or "" if it cannot be read. Roles for one service, such as
/// roles/container.developer, include this permission.
std::string FindProjectName(const google::ApiClient& api, const std::string& project,
                            std::stop_token stop) {
  const auto found = api.Find(std::string(google::kResourceManager),
                              "/v3/projects/" + http::PercentEncode(project), std::move(stop));
  return found && *found ? json::TextAt(**found, "name") : "";
}

/// Returns the project's number, from a service that every project has enabled.
///
/// @source  https://cloud.google.com/service-usage/docs/reference/rest/v1/services/get
Result<std::string> FindProjectNumber(const google::ApiClient& api, const std::string& project,
                                      std::stop_token stop) {
  const std::string path = "/v1/projects/" + http::PercentEncode(project) + "/services/" +
                           std::string(google::kServiceUsage);
  auto service = api.Find(std::string(google::kServiceUsage), path, stop);
  // Google does not reveal which projects exist.
  const bool hidden = !service && service.error().code == ErrorCode::kPermissionDenied &&
                      google::DetailOf(service.error(), google::kDisabledIn).empty() &&
                      !IsQuotaProjectDenied(service.error());
  if (!service && !hidden)
    return Failure(std::move(service).error().Context("looking up project " + Printable(project)));
  std::string name = service && *service ? json::TextAt(**service, "parent") : "";
  if (name.empty()) name = FindProjectName(api, project, std::move(stop));
  constexpr std::string_view kProjects = "projects/";
  if (name.starts_with(kProjects)) return name.substr(kProjects.size());
  return Fail(ErrorCode::kNotFound,
              "project " + Printable(project) + " does not exist, or you have no access to it",
              "check --project, or log in as another user: gcloud auth application-default login");
}

/// A project without billing cannot have clusters. Accounts that may not see this are not stopped.
Status CheckBilling(const google::ApiClient& api, const std::string& project,
                    std::stop_token stop) {
  const auto info =
      api.Send({.service = std::string(google::kBilling),
                .path = "/v1/projects/" + http::PercentEncode(project) + "/billingInfo"},
               std::move(stop));
  if (!info) return info.error().code == ErrorCode::kCancelled ? Failure(info.error()) : Status{};
  const Value* enabled = info->Find("billingEnabled");
  if (enabled != nullptr && enabled->AsBool() != nullptr && *enabled->AsBool()) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              "project " + Printable(project) + " has no billing account",
              "link one: https://console.cloud.google.com/billing/linkedaccount?project=" +
                  http::PercentEncode(project));
}

Status ConnectState(ClusterPlan::State& state, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(state.transport, Connect(state.options, std::move(stop)));
  state.api.emplace(*state.transport, SystemClock(), state.options.cloud.api_endpoint);
  return {};
}

}  // namespace

Result<std::shared_ptr<connect::Connection>> Connect(const ClusterAdminOptions& options,
                                                     std::stop_token stop) {
  CloudOptions cloud = options.cloud;
  cloud.storage_endpoint = options.cloud.api_endpoint;  // the services that this connection is for
  const connect::Dependencies deps{
      .fs = PosixFileSystem(), .clock = SystemClock(), .log = options.log};
  return connect::Connection::Open(cloud, deps, std::move(stop));
}

Result<std::shared_ptr<ClusterPlan::State>> OpenProject(const ClusterSpec& spec,
                                                        const ClusterAdminOptions& options,
                                                        std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckSpec(spec));
  auto state = std::make_shared<ClusterPlan::State>();
  state->spec = spec;
  state->options = options;
  std::string& quota_project = state->options.cloud.quota_project;
  if (quota_project.empty()) quota_project = spec.project;
  KINETIC_RETURN_IF_ERROR(ConnectState(*state, stop));
  Status found = FindProject(*state, stop);
  if (!found && IsQuotaProjectDenied(found.error()) && options.cloud.quota_project.empty()) {
    // Few roles include serviceusage.services.use. Then requests count as the credential says.
    quota_project.clear();
    KINETIC_RETURN_IF_ERROR(ConnectState(*state, stop));
    found = FindProject(*state, stop);
  }
  KINETIC_RETURN_IF_ERROR(found);
  return state;
}

Status FindProject(ClusterPlan::State& state, const std::stop_token& stop) {
  const ClusterSpec& spec = state.spec;
  KINETIC_ASSIGN_OR_RETURN(const std::string number,
                           FindProjectNumber(*state.api, spec.project, stop));
  state.api->SetProject(spec.project, number);
  KINETIC_RETURN_IF_ERROR(CheckBilling(*state.api, spec.project, stop));
  state.scope = {.api = &*state.api,
                 .project = spec.project,
                 .project_number = number,
                 .zone = spec.location,
                 .name = spec.name};
  if (!spec.name_space.empty()) state.scope.name_space = spec.name_space;
  return {};
}

Result<std::shared_ptr<ClusterPlan::State>> OpenState(const ClusterSpec& spec,
                                                      const ClusterAdminOptions& options,
                                                      std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto state, OpenProject(spec, options, stop));
  KINETIC_RETURN_IF_ERROR(FindLocation(*state, stop));
  return state;
}

Status FindLocation(ClusterPlan::State& state, const std::stop_token& stop) {
  Scope& scope = state.scope;
  if (!scope.zone.empty()) {
    KINETIC_RETURN_IF_ERROR(CheckOtherLocations(*state.api, state.spec, stop));
  } else {
    KINETIC_ASSIGN_OR_RETURN(state.zones, FindZones(*state.api, state.spec, scope.Bucket(), stop));
    scope.zone = state.zones.front();
  }
  state.spec.location = scope.zone;
  return {};
}

}  // namespace kinetic::provision
