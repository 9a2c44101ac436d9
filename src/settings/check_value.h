#pragma once

#include "kinetic/result.h"

#include "settings/table.h"

#include <string>
#include <string_view>

namespace kinetic::settings {

/// Checks that a text is a valid value of the setting.
///
/// @param what  the name to use in the error: "--color", "KINETIC_COLOR", "color".
Status CheckSetting(const SettingInfo& info, std::string_view what, const std::string& text);

/// Returns the setting of this name, if a profile may contain it.
///
/// @param what  begins the error: "--set", "config set".
/// @errors  kInvalidArgument, with the nearest valid name or all of them as the hint.
Result<const SettingInfo*> FindProfileSetting(std::string_view what, std::string_view name);

/// Checks a profile name: at most 63 letters, digits, '-', '_' and '.'.
Status CheckProfileName(std::string_view name);

/// Checks a cluster-related setting against the naming rules of Kubernetes and Google. Accepts any
/// text for other settings.
///
/// @param what  the name to use in the error: "--namespace", "namespace".
/// @source https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
Status CheckClusterName(SettingId id, std::string_view what, const std::string& text);

/// Checks the syntax of a store location: a folder, or a location that CheckBucketStore accepts.
/// Sends no request.
///
/// @param  what  the name to use in the error: "--store".
Status CheckStoreLocation(std::string_view what, const std::string& text);

/// Checks that a text is a server address: "http://host:port", or the same without the scheme.
///
/// @param schemes  the allowed schemes: "http https".
Status CheckAddress(std::string_view what, std::string_view text, std::string_view schemes);

}  // namespace kinetic::settings
