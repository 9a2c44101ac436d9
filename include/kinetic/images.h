#pragma once

#include "kinetic/environment.h"
#include "kinetic/result.h"

#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

class Observer;
struct JobSpec;

struct BuildImageOptions {
  bool locked = false;           ///< use the stored lock; never resolve
  bool relock = false;           ///< ignore the stored lock, and rebuild the image of a Dockerfile
  Observer* observer = nullptr;  ///< outlives the call; may be null
};

/// The images with packages in the profile's environment_images: `client.images().Build(spec)`.
/// Shares the client's connection and keeps it open.
///
/// @threads  safe to call concurrently.
class KINETIC_EXPORT Images {
 public:
  /// Builds the image of a job's packages, or of its own Dockerfile, unless it exists.
  ///
  /// @errors  kFailedPrecondition (no environment_images; no packages; locked, and no lock; no
  ///          suitable Python in the base image; the Dockerfile fails) ·
  ///          kUnauthenticated, kPermissionDenied, kUnavailable (a registry, or Cloud Build) ·
  ///          kResourceExhausted (quota) · kDeadlineExceeded (Cloud Build took too long).
  Result<EnvironmentImage> Build(const JobSpec& spec, const BuildImageOptions& options = {},
                                 std::stop_token stop = {});
  /// Lists the images, by tag.
  ///
  /// @errors  kFailedPrecondition (no environment_images) · errors of a registry.
  Result<std::vector<EnvironmentImage>> List(std::stop_token stop = {});
  /// Removes images. Jobs that use them can no longer start; a new submission builds them again.
  ///
  /// @errors  kNotFound: one does not exist, and none was removed · kUnimplemented (the registry
  ///          does not support removal) · errors of a registry.
  Result<std::vector<EnvironmentImage>> Remove(const std::vector<std::string>& tags,
                                               std::stop_token stop = {});

 private:
  friend class Client;
  struct Impl;
  explicit Images(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace kinetic::inline v0
