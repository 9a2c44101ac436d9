#pragma once

#include "kinetic/result.h"

#include "settings/table.h"

#include <string>
#include <string_view>

namespace kinetic::cli {

/// Checks a cluster-related setting against the naming rules of Kubernetes and Google. Accepts any
/// text for other settings.
///
/// @param what  the name to use in the error: "--namespace", "namespace".
/// @source https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
Status CheckClusterName(SettingId id, std::string_view what, const std::string& text);

}  // namespace kinetic::cli
