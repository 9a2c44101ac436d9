#include "provision/join/bucket_permissions.h"

#include "google/api/services.h"
#include "http/url.h"
#include "json/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

constexpr std::array<std::string_view, 4> kNeeded{"storage.objects.create", "storage.objects.get",
                                                  "storage.objects.list", "storage.objects.delete"};

}  // namespace

std::optional<HealthCheck> CheckBucketPermissions(const Scope& scope, std::stop_token stop) {
  const std::string path =
      fmt::format("/storage/v1/b/{}/iam/testPermissions?permissions={}",
                  http::PercentEncode(scope.Bucket()), fmt::join(kNeeded, "&permissions="));
  const auto answer = scope.api->Find(std::string(google::kStorage), path, std::move(stop));
  HealthCheck check{.name = "bucket permissions"};
  if (!answer) {
    check.health = Health::kWarning;
    check.evidence = answer.error().message;
    check.advice = answer.error().hint;
    return check;
  }
  if (!*answer) return std::nullopt;
  json::ObjectReader reader(**answer, "permissions");
  const Value::List& granted = reader.List("permissions");
  std::vector<std::string_view> lacking;
  std::ranges::copy_if(kNeeded, std::back_inserter(lacking), [&](std::string_view permission) {
    return std::ranges::find(granted, Value(std::string(permission))) == granted.end();
  });
  check.evidence = fmt::format("you can use gs://{}", scope.Bucket());
  if (lacking.empty()) return check;
  check.health = Health::kFailed;
  check.evidence = fmt::format("you lack {} on gs://{}", fmt::join(lacking, ", "), scope.Bucket());
  check.advice = fmt::format(
      "ask an administrator: gcloud storage buckets add-iam-policy-binding gs://{} "
      "--role=roles/storage.objectUser --member=user:YOUR_EMAIL",
      scope.Bucket());
  return check;
}

}  // namespace kinetic::provision
