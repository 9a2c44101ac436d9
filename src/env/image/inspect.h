#pragma once

#include "kinetic/image_explanation.h"
#include "kinetic/result.h"

#include "env/image/registries.h"
#include "oci/registry/remote_image.h"

#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::env {

/// An image as somebody finds it who only wants to know.
struct LookedAtImage {
  AskedImage asked;
  std::optional<oci::RegistryImage> image;  ///< when it is present
};

/// Asks for an image. What its registry says is an answer, and no failure.
///
/// @param name          "registry/name:tag", "name@sha256:…"
/// @param architecture  as Go names it: "amd64".
/// @errors  kInvalidArgument (no name of an image) · kCancelled.
Result<LookedAtImage> LookAtImage(const std::string& name, const std::string& architecture,
                                  ImageRegistries& registries, std::stop_token stop);

}  // namespace kinetic::env
