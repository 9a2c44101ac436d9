#pragma once

#include "kinetic/result.h"

#include "env/install/tool_options.h"
#include "oci/inspect/python.h"
#include "oci/registry/remote_image.h"
#include "oci/registry/repository.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::env {

/// In the cache: what Pythons images have, and where parts of images lie until they are sent.
inline constexpr std::string_view kKnownBasesFolder = "known-bases";
inline constexpr std::string_view kImageScratchFolder = "images";

/// An image that environments are made upon, where it is.
struct BaseInRegistry {
  const oci::Repository* repository = nullptr;
  oci::RegistryImage image;
  std::string name;  ///< as people know it: "python:3.12-slim"
};

/// Looks into the layers of an image for the Python that its search path leads to. They are fetched
/// once: what was found is kept in the cache folder, by the image's digest.
///
/// @param python  "3.12"
/// @errors  those of oci::FindImagePython and oci::FetchBlob.
Result<oci::ImagePython> FindBasePython(const ToolOptions& tools, const BaseInRegistry& base,
                                        const std::string& python, std::stop_token stop);

}  // namespace kinetic::env
