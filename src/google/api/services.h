#pragma once

#include "google/error.h"

#include <string_view>

namespace kinetic::google {

inline constexpr std::string_view kArtifactRegistry = "artifactregistry.googleapis.com";
inline constexpr std::string_view kBilling = "cloudbilling.googleapis.com";
inline constexpr std::string_view kCompute = "compute.googleapis.com";
inline constexpr std::string_view kContainer = "container.googleapis.com";
inline constexpr std::string_view kIam = "iam.googleapis.com";
inline constexpr std::string_view kQuotas = "cloudquotas.googleapis.com";
inline constexpr std::string_view kResourceManager = "cloudresourcemanager.googleapis.com";
inline constexpr std::string_view kServiceUsage = "serviceusage.googleapis.com";
inline constexpr std::string_view kStorage = "storage.googleapis.com";

/// Returns the service that a URL of ApiClient addresses, with the role that `kinetic up` needs.
Service ServiceOfUrl(std::string_view url);

}  // namespace kinetic::google
