#pragma once

#include "kinetic/result.h"

#include "settings/table.h"

#include <string>
#include <string_view>

namespace kinetic::cli {

/// Whether a text can be the name of what the setting names in a cluster, by the rules of
/// Kubernetes and Google for names alone; any text will do for every other setting.
///
/// @param what  named in the error: "--namespace", "namespace".
/// @source https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
Status CheckClusterName(SettingId id, std::string_view what, const std::string& text);

}  // namespace kinetic::cli
