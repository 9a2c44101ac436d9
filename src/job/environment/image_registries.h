#pragma once

#include "connect/registry.h"
#include "env/image/registry_images.h"
#include "job/context.h"
#include "oci/format/reference.h"
#include "store/advisory_lease.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kinetic::job {

/// Returns the options with which a client connects to registries.
RegistryOptions RegistryOptionsOf(const Context& context);

/// Connections to registries, with Docker's logins and, for Google's registries, the credential of
/// the bucket. Each repository is opened once for each kind of use.
class ImageRegistries final : public env::ImageRegistries {
 public:
  /// The context must outlive this object.
  explicit ImageRegistries(const Context& context) : context_(context) {}

  Result<const oci::Repository*> OpenToRead(const oci::Reference& image) override;
  Result<const oci::Repository*> OpenToWrite(const oci::Reference& image,
                                             const std::vector<std::string>& mounted_from) override;

 private:
  Result<const oci::Repository*> Open(const oci::Reference& image,
                                      const connect::RegistryAccess& use);

  const Context& context_;
  std::map<std::string, std::unique_ptr<connect::RegistryConnection>> open_;  ///< by name and use
};

/// Returns the repository in which the profile keeps the images that kinetic builds.
///
/// @errors  kFailedPrecondition (the profile has no repository; the hint explains how to set one) ·
///          kInvalidArgument (not a valid repository name).
Result<oci::Reference> ImageRepository(const Context& context);

/// Returns this client's identity for leases on image builds. It detects holders on this machine
/// that have exited.
store::AdvisoryLease::Client LeaseClient();

}  // namespace kinetic::job
