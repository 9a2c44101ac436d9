#pragma once

#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::env {

/// An image that is to be made from a Dockerfile, and where it goes.
struct ImageOrder {
  Path context;           ///< folder that the Dockerfile copies from; absolute
  Path dockerfile;        ///< need not lie in the context; absolute
  std::string reference;  ///< what it is pushed as: "registry/path/name:tag"
  std::string platform;   ///< "linux/amd64"
  /// Besides those of the Dockerfile, which they win over.
  std::map<std::string, std::string> labels = {};
  /// The registries that images below are pulled from, as far as they are known: "docker.io".
  std::vector<std::string> pulled_from = {};
  bool plain = false;     ///< registries are asked without TLS, as those on this machine are anyway
  Path ignore_file = {};  ///< says what of the context is left out; empty: nothing is
};

/// Makes images from Dockerfiles: a *container engine* of this machine, or a service that builds.
///
/// @threads  one call at a time.
class DockerfileBuilder {
 public:
  virtual ~DockerfileBuilder() = default;

  /// Builds an image and pushes it; who wants its digest asks the registry for the tag then.
  ///
  /// @param observer  told what the builder says, line by line, in Phase::kBuild; may be null.
  /// @errors  kFailedPrecondition (there is no builder; or it failed: its last lines, and where the
  ///          whole log is) · kUnauthenticated, kPermissionDenied (a registry, or the service) ·
  ///          kUnavailable (who was asked did not answer) · kResourceExhausted (disk, quota) ·
  ///          kCancelled.
  virtual Status Build(const ImageOrder& order, Observer* observer, std::stop_token stop) = 0;
};

}  // namespace kinetic::env
