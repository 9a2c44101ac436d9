#pragma once

#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// An image to build from a Dockerfile and to push.
struct ImageBuildRequest {
  Path context;           ///< folder that the Dockerfile copies from; absolute
  Path dockerfile;        ///< may be outside the context; absolute
  std::string reference;  ///< where to push the image: "registry/path/name:tag"
  std::string platform;   ///< "linux/amd64"
  /// Override labels of the Dockerfile.
  std::map<std::string, std::string> labels = {};
  /// The known registries of images that the Dockerfile uses: "docker.io".
  std::vector<std::string> pulled_from = {};
  bool plain = false;     ///< no TLS to registries; registries on this machine never have TLS
  Path ignore_file = {};  ///< of the context; empty: ignores nothing
};

/// Builds images from Dockerfiles with a container engine of this machine or a build service.
///
/// @threads  one call at a time.
class DockerfileBuilder {
 public:
  virtual ~DockerfileBuilder() = default;

  /// Builds an image and pushes it. The registry has the image's digest under its tag.
  ///
  /// @param observer  receives the builder's output by line, in Phase::kBuild; may be null.
  /// @errors  kFailedPrecondition (no builder; or it failed: its last lines, and the path of the
  ///          log) · kUnauthenticated, kPermissionDenied (a registry, or the service) ·
  ///          kUnavailable (no response) · kResourceExhausted (disk, quota) · kCancelled.
  virtual Status Build(const ImageBuildRequest& request, Observer* observer,
                       std::stop_token stop) = 0;
};

/// The inputs of a Dockerfile build, as far as its text specifies them.
struct DockerfileInputs {
  /// Whether the image may contain files of the context. True for unknown syntax.
  bool context = false;
  /// Registries of the images that it is based on or copies from, without duplicates: "docker.io".
  /// Images specified by a variable are omitted.
  std::vector<std::string> registries;
  /// The base image of the last stage, as written; empty: none, or unknown.
  std::string base;
};

/// Returns the inputs of a Dockerfile. Does not check its syntax.
///
/// @source  https://docs.docker.com/reference/dockerfile/
DockerfileInputs ReadDockerfileInputs(std::string_view dockerfile);

}  // namespace kinetic::env
