#pragma once

#include "kinetic/result.h"

#include "oci/registry/remote_image.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace kinetic::oci {

/// What the configuration of an image says of itself and of its containers.
///
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/config.md
struct ImageSettings {
  std::map<std::string, std::string, std::less<>> variables;
  std::map<std::string, std::string, std::less<>> labels;

  /// Empty when there is none of the name.
  std::string Variable(std::string_view name) const;
  std::string Label(std::string_view name) const;
};

/// @errors  kDataLoss: the configuration is no JSON object.
Result<ImageSettings> SettingsOf(const RegistryImage& image);

}  // namespace kinetic::oci
