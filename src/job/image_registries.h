#pragma once

#include "cloud/registry.h"
#include "env/image_registries.h"
#include "job/context.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kinetic::job {

/// How a client reaches registries.
RegistryOptions RegistryOptionsOf(const Context& context);

/// Registries as a client reaches them: with Docker's logins, and Google's with the credential of
/// the bucket. Each repository is opened once for each use.
class ImageRegistries final : public env::ImageRegistries {
 public:
  /// The context outlives it.
  explicit ImageRegistries(const Context& context) : context_(context) {}

  Result<const oci::Repository*> OpenToRead(const oci::Reference& image) override;
  Result<const oci::Repository*> OpenToWrite(const oci::Reference& image,
                                             const std::vector<std::string>& mounted_from) override;

 private:
  Result<const oci::Repository*> Open(const oci::Reference& image, const cloud::RegistryUse& use);

  const Context& context_;
  std::map<std::string, std::unique_ptr<cloud::RegistryConnection>> open_;  ///< by name and use
};

}  // namespace kinetic::job
