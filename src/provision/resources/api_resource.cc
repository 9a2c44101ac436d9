#include "provision/resources/api_resource.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "google/api/operation.h"
#include "http/retry.h"
#include "json/document.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace kinetic::provision {
namespace {

/// GKE performs few operations on a cluster at a time. Node pools take minutes each.
constexpr http::RetryPolicy kWhileBusy{.base = std::chrono::milliseconds{1'000},
                                       .cap = std::chrono::milliseconds{20'000},
                                       .budget = std::chrono::minutes{40}};
constexpr std::chrono::milliseconds kFirstPause{200};
constexpr std::chrono::milliseconds kLongestPause{10'000};
/// When a resource that another client has just created can be read.
constexpr std::chrono::seconds kVisibleWithin{20};

/// Returns whether the cluster is busy with another operation.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/troubleshooting/operations
bool IsBusy(const Error& error) {
  constexpr std::array<std::string_view, 5> kWords{
      "running incompatible operation", "please wait and try again", "Please wait and try again",
      "currently being created, deleted, updated or repaired", "Too many operations"};
  return std::ranges::any_of(kWords, [&](std::string_view words) {
    return error.message.find(words) != std::string::npos;
  });
}

class ApiResource final : public Resource {
 public:
  ApiResource(const google::ApiClient& api, ApiResourceSpec spec)
      : api_(&api), spec_(std::move(spec)) {}

  std::string Kind() const override { return spec_.kind; }
  std::string Name() const override { return spec_.name; }
  std::string Key() const override { return spec_.key.empty() ? spec_.kind : spec_.key; }
  std::vector<std::string> Needs() const override { return spec_.needs; }
  std::chrono::minutes ExpectedTime() const override { return spec_.expected; }

  Result<Observation> Read(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const auto existing, Find(std::move(stop)));
    if (!existing) return Observation{PlanAction::kCreate, spec_.detail};
    const Comparison comparison = spec_.compare(*existing);
    if (!comparison.ours) return Failure(ForeignError(comparison));
    changes_ = comparison.changes;
    is_optional_ = comparison.is_optional;
    if (comparison.readiness == Readiness::kDeleting) return ReadDeleting();
    const bool failed = comparison.readiness == Readiness::kFailed;
    if (failed && !CanCreate()) return Failure(FailedError(comparison.problem));
    replaces_ = failed || !comparison.mismatch.empty();
    if (replaces_) {
      changes_ = {Deletion(), spec_.create};
      return Observation{PlanAction::kReplace,
                         failed ? "failed (" + comparison.problem + ")" : comparison.mismatch};
    }
    if (comparison.readiness == Readiness::kBusy)
      return Observation{PlanAction::kChange, "wait until it is ready"};
    if (changes_.empty()) return Observation{PlanAction::kKeep, spec_.detail, comparison.warnings};
    return Observation{PlanAction::kChange, comparison.detail, comparison.warnings};
  }

  std::vector<google::ApiRequest> Requests() const override {
    return changes_.empty() ? std::vector{spec_.create} : changes_;
  }

  bool IsOptional() const override { return is_optional_ && !replaces_; }

  Status Converge(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(auto existing, FindUndeleted(stop));
    if (existing && MustRecreate(spec_.compare(*existing))) {
      KINETIC_RETURN_IF_ERROR(Remove(stop));
      existing.reset();
    }
    if (!existing) KINETIC_RETURN_IF_ERROR(Create(stop));
    KINETIC_ASSIGN_OR_RETURN(const Value ready, WaitUntilReady(existing.has_value(), stop));
    for (const google::ApiRequest& change : spec_.compare(ready).changes) {
      KINETIC_RETURN_IF_ERROR(Perform(change, stop));
    }
    return {};
  }

  std::vector<google::ApiRequest> RemovalRequests() const override { return {Deletion()}; }

  Result<bool> IsOurs(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const auto existing, Find(std::move(stop)));
    return existing && spec_.compare(*existing).ours;
  }

  Status Remove(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const auto existing, FindUndeleted(stop));
    if (!existing) return {};
    if (spec_.before_removal) KINETIC_RETURN_IF_ERROR(spec_.before_removal(stop));
    auto removed = Perform(Deletion(), stop);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
    return WaitUntilGone(std::move(stop));
  }

 private:
  /// A document that is no resource would look like one that kinetic did not create.
  Result<std::optional<Value>> Find(std::stop_token stop) const {
    KINETIC_ASSIGN_OR_RETURN(auto found,
                             api_->FindCreated(spec_.service, spec_.path, std::move(stop)));
    if (!found || !json::TextAt(*found, "name").empty()) return found;
    return Fail(ErrorCode::kUnavailable,
                "GET " + api_->UrlOf({.service = spec_.service, .path = spec_.path}) +
                    ": the response has no name",
                "try again later");
  }

  /// Returns the resource as soon as no deletion of it is in progress.
  Result<std::optional<Value>> FindUndeleted(std::stop_token stop) const {
    std::chrono::milliseconds pause = kFirstPause;
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(auto existing, Find(stop));
      if (!existing || spec_.compare(*existing).readiness != Readiness::kDeleting) return existing;
      KINETIC_RETURN_IF_ERROR(api_->clock().Sleep(pause, stop));
      pause = std::min(pause * 2, kLongestPause);
    }
  }

  /// The plan creates a resource again that is being deleted.
  Result<Observation> ReadDeleting() {
    changes_.clear();
    if (CanCreate())
      return Observation{PlanAction::kCreate, spec_.detail + ", after its deletion has finished"};
    return Fail(ErrorCode::kFailedPrecondition, spec_.kind + " " + spec_.name + " is being deleted",
                "list what exists: kinetic cluster status");
  }

  bool CanCreate() const { return !spec_.create.path.empty(); }

  google::ApiRequest Deletion() const {
    return {"DELETE", spec_.service, spec_.path + spec_.removal_query};
  }

  Error ForeignError(const Comparison& comparison) const {
    if (!comparison.problem.empty())
      return {ErrorCode::kAlreadyExists,
              spec_.kind + " " + spec_.name + " " + comparison.problem,
              "choose another name: --cluster NAME",
              {}};
    return {ErrorCode::kFailedPrecondition,
            spec_.kind + " " + spec_.name + " exists, but kinetic did not create it",
            spec_.kind == "cluster" ? "to use it: kinetic init --cluster " + spec_.name +
                                          "; to create another one: kinetic up --cluster NAME"
                                    : "choose another name: kinetic up --cluster NAME",
            {}};
  }

  Error FailedError(const std::string& problem) const {
    return {ErrorCode::kFailedPrecondition,
            spec_.kind + " " + spec_.name + " is in state ERROR: " + Printable(problem),
            "delete it, and add it again: kinetic pool rm " + spec_.name,
            {}};
  }

  /// Only what Read found, because the user confirmed only that deletion, or what this object
  /// created.
  bool MustRecreate(const Comparison& now) const {
    const bool failed = now.readiness == Readiness::kFailed;
    return now.ours && ((replaces_ && (failed || !now.mismatch.empty())) || (created_ && failed));
  }

  Error DeletedError() const {
    return {ErrorCode::kAborted,
            spec_.kind + " " + spec_.name + " was deleted by another client",
            "run the same command again",
            {}};
  }

  Error ConcurrentChangeError(const std::string& mismatch) const {
    return {ErrorCode::kAborted,
            "another client created it at the same time, and it " + mismatch,
            "run the same command again",
            {}};
  }

  Status Create(std::stop_token stop) {
    if (!CanCreate()) return Failure(DeletedError());
    auto created = Perform(spec_.create_now ? spec_.create_now(stop) : spec_.create, stop);
    // Another process, or an earlier attempt whose response was lost.
    if (!created && created.error().code == ErrorCode::kAlreadyExists) {
      conflict_ = created.error();
      return {};
    }
    created_ = true;
    if (created || !spec_.explain) return created;
    return Failure(spec_.explain(std::move(created).error(), std::move(stop)));
  }

  /// Sends a request as soon as no other operation is in its way, and waits for its operation.
  Status Perform(const google::ApiRequest& request, std::stop_token stop) const {
    http::Backoff backoff(kWhileBusy, api_->clock());
    for (;;) {
      const auto operation = api_->Send(request, stop);
      if (operation) {
        if (!spec_.operation_path) return {};
        return google::WaitForOperation(*api_, spec_.service, *operation, spec_.operation_path,
                                        stop);
      }
      if (!IsBusy(operation.error())) return Failure(operation.error());
      KINETIC_RETURN_IF_ERROR(backoff.Wait(operation.error(), std::nullopt, stop));
    }
  }

  /// @param seen  the resource was found before. A new one may become visible later.
  Result<Value> WaitUntilReady(bool seen, std::stop_token stop) const {
    const SteadyTime visible_until = api_->clock().Steady() + kVisibleWithin;
    std::chrono::milliseconds pause = kFirstPause;
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(auto existing, Find(stop));
      if (seen && !existing) return Failure(DeletedError());
      if (existing) {
        seen = true;
        const Comparison comparison = spec_.compare(*existing);
        if (!comparison.ours) return Failure(ForeignError(comparison));
        if (!comparison.mismatch.empty())
          return Failure(ConcurrentChangeError(comparison.mismatch));
        if (comparison.readiness == Readiness::kReady) return std::move(*existing);
        if (comparison.readiness == Readiness::kFailed)
          return Fail(ErrorCode::kUnavailable, Printable(comparison.problem),
                      "to delete it and create it again, run the same command with --replace");
      }
      if (!seen && conflict_ && api_->clock().Steady() >= visible_until)
        return Failure(Error(*conflict_).Context("the name is taken, but not in this project"));
      KINETIC_RETURN_IF_ERROR(api_->clock().Sleep(pause, stop));
      pause = std::min(pause * 2, kLongestPause);
    }
  }

  Status WaitUntilGone(std::stop_token stop) const {
    std::chrono::milliseconds pause = kFirstPause;
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(const auto existing, Find(stop));
      if (!existing) return {};
      KINETIC_RETURN_IF_ERROR(api_->clock().Sleep(pause, stop));
      pause = std::min(pause * 2, kLongestPause);
    }
  }

  const google::ApiClient* api_;
  ApiResourceSpec spec_;
  std::vector<google::ApiRequest> changes_;  ///< found by Read
  bool replaces_ = false;                    ///< found by Read: it failed, or it cannot be changed
  bool is_optional_ = false;                 ///< found by Read
  bool created_ = false;                     ///< by this object
  std::optional<Error> conflict_;            ///< the response to the creation of an existing one
};

}  // namespace

std::unique_ptr<Resource> MakeApiResource(const google::ApiClient& api, ApiResourceSpec spec) {
  return std::make_unique<ApiResource>(api, std::move(spec));
}

}  // namespace kinetic::provision
