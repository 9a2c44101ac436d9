#include "google/api/services.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "google/api/operation.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/resources/all.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

/// Without it, nodes pull whole images.
constexpr std::string_view kImageStreaming = "containerfilesystem.googleapis.com";

constexpr std::array<std::string_view, 9> kRequired{
    google::kContainer, google::kCompute,
    google::kStorage,   google::kArtifactRegistry,
    google::kIam,       "iamcredentials.googleapis.com",
    google::kQuotas,    google::kResourceManager,
    kImageStreaming};

/// The APIs of a project.
///
/// @source  https://cloud.google.com/service-usage/docs/reference/rest/v1/services/batchEnable
class Services final : public Resource {
 public:
  Services(const Scope& scope, std::vector<std::string> services)
      : api_(scope.api),
        path_("/v1/projects/" + http::PercentEncode(scope.project) + "/services"),
        services_(std::move(services)) {}

  std::string Kind() const override { return std::string(kApisKind); }
  std::string Name() const override {
    const std::size_t count = missing_.empty() ? services_.size() : missing_.size();
    return std::to_string(count) + (count == 1 ? " service" : " services");
  }

  Result<Observation> Read(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(missing_, FindDisabled(std::move(stop)));
    if (missing_.empty()) return Observation{PlanAction::kKeep, "enabled"};
    return Observation{PlanAction::kCreate, "enable " + ShortNames()};
  }

  std::vector<google::ApiRequest> Requests() const override {
    Value::List ids;
    for (const std::string& service : missing_) ids.emplace_back(service);
    return {{"POST", std::string(google::kServiceUsage), path_ + ":batchEnable",
             Value::Map{{"serviceIds", std::move(ids)}}}};
  }

  bool IsOptional() const override { return missing_ == std::vector{std::string(kImageStreaming)}; }

  Status Converge(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(missing_, FindDisabled(stop));
    if (missing_.empty()) return {};
    KINETIC_ASSIGN_OR_RETURN(const Value operation, api_->Send(Requests().front(), stop));
    const auto path = [](const std::string& name) { return "/v1/" + name; };
    return google::WaitForOperation(*api_, google::kServiceUsage, operation, path, stop);
  }

  Result<bool> IsOurs(std::stop_token /*stop*/) override { return false; }
  Status Remove(std::stop_token /*stop*/) override { return {}; }

 private:
  std::string ShortNames() const {
    std::vector<std::string> names;
    names.reserve(missing_.size());
    for (const std::string& service : missing_)
      names.push_back(service.substr(0, service.find('.')));
    return Join(names, ", ");
  }

  Result<std::vector<std::string>> FindDisabled(std::stop_token stop) const {
    std::string query;
    for (const std::string& service : services_) {
      query += (query.empty() ? "?names=" : "&names=") + path_.substr(sizeof("/v1/") - 1) + "/" +
               service;
    }
    KINETIC_ASSIGN_OR_RETURN(const Value answer,
                             api_->Send({.service = std::string(google::kServiceUsage),
                                         .path = path_ + ":batchGet" + query},
                                        std::move(stop)));
    std::vector<std::string> disabled = services_;
    json::ObjectReader reader(answer, "services");
    for (const Value& service : reader.List("services")) {
      const std::string name = json::TextAt(service, "name");
      if (json::TextAt(service, "state") == "ENABLED")
        std::erase(disabled, name.substr(name.rfind('/') + 1));
    }
    return disabled;
  }

  const google::ApiClient* api_;
  std::string path_;
  std::vector<std::string> services_;
  std::vector<std::string> missing_;
};

}  // namespace

std::unique_ptr<Resource> MakeServices(const Scope& scope) {
  return MakeServices(scope, {kRequired.begin(), kRequired.end()});
}

std::unique_ptr<Resource> MakeServices(const Scope& scope, std::vector<std::string> services) {
  return std::make_unique<Services>(scope, std::move(services));
}

}  // namespace kinetic::provision
