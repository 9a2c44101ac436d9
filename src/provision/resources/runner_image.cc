#include "connect/runner_image.h"

#include "kinetic/image.h"
#include "kinetic/try.h"

#include "google/api/services.h"
#include "json/document.h"
#include "provision/resources/all.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::provision {
namespace {

class RunnerImageResource final : public Resource {
 public:
  RunnerImageResource(const Scope& scope, const ClusterAdminOptions& options,
                      std::string& reference)
      : scope_(&scope), options_(&options), reference_(&reference) {}

  std::string Kind() const override { return "runner image"; }
  std::string Name() const override { return "runner"; }
  std::vector<std::string> Needs() const override { return {"repository"}; }

  Result<Observation> Read(std::stop_token stop) override {
    Observation observation{PlanAction::kCreate, "runs alongside each job"};
    KINETIC_ASSIGN_OR_RETURN(const bool has_repository, OpenImage(stop));
    if (!has_repository) return observation;
    KINETIC_ASSIGN_OR_RETURN(const auto reference, image_->Find(std::move(stop)));
    if (!reference) return observation;
    *reference_ = *reference;
    observation.action = PlanAction::kKeep;
    return observation;
  }

  /// Pushes go to the registry, not to an API.
  std::vector<google::ApiRequest> Requests() const override { return {}; }

  Status Converge(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const bool has_repository, OpenImage(stop));
    if (!has_repository) {
      return Fail(ErrorCode::kNotFound, "repository " + scope_->name + " does not exist",
                  "run the same command again");
    }
    KINETIC_ASSIGN_OR_RETURN(const PushedImage pushed, image_->Push(std::move(stop)));
    *reference_ = pushed.reference;
    return {};
  }

  /// Images are removed with the repository.
  Result<bool> IsOurs(std::stop_token /*stop*/) override { return false; }
  Status Remove(std::stop_token /*stop*/) override { return {}; }

 private:
  /// Returns false if there is no repository yet.
  Result<bool> OpenImage(std::stop_token stop) {
    if (image_) return true;
    KINETIC_ASSIGN_OR_RETURN(
        const auto repository,
        scope_->api->FindCreated(std::string(google::kArtifactRegistry),
                                 "/v1/" + scope_->RepositoryPath(), std::move(stop)));
    if (!repository) return false;
    RunnerImageRequest request = options_->runner_image;
    request.name = json::TextAt(*repository, "registryUri") + "/runner";
    KINETIC_ASSIGN_OR_RETURN(image_, connect::RunnerImage::Open(request, options_->registry));
    return true;
  }

  const Scope* scope_;
  const ClusterAdminOptions* options_;
  std::string* reference_;
  std::optional<connect::RunnerImage> image_;
};

}  // namespace

std::unique_ptr<Resource> MakeRunnerImage(const Scope& scope, const ClusterAdminOptions& options,
                                          std::string& reference) {
  return std::make_unique<RunnerImageResource>(scope, options, reference);
}

}  // namespace kinetic::provision
