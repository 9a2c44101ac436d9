#include "env/image/layers_builder.h"

#include "kinetic/try.h"

#include "env/image/registry_images.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

class LayersBuilder final : public EnvironmentBuilder {
 public:
  explicit LayersBuilder(LayersOptions options) : options_(std::move(options)) {}

  Result<std::optional<ReadyEnvironment>> Find(const Lock& lock, std::stop_token stop) override {
    return FindImage(lock, options_.naming, options_.registries, std::move(stop));
  }

  Result<ReadyEnvironment> Ensure(const Lock& lock, Observer* observer,
                                  std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(auto found, Find(lock, stop));
    if (found) return *std::move(found);
    KINETIC_ASSIGN_OR_RETURN(const RegistryBaseImage base,
                             FindBaseImage(lock, options_.naming, options_.registries, stop));
    KINETIC_ASSIGN_OR_RETURN(const auto* repository, Repository());
    KINETIC_ASSIGN_OR_RETURN(const Digest digest, BuildImage(lock, options_, base, *repository,
                                                             observer, std::move(stop)));
    return EnvironmentInImage(lock, options_.naming, digest, true);
  }

 private:
  /// Opens the repository with permission to mount layers of the base.
  Result<const oci::Repository*> Repository() {
    const ImageNaming& naming = options_.naming;
    KINETIC_ASSIGN_OR_RETURN(const oci::Reference name, oci::ParseReference(naming.repository));
    KINETIC_ASSIGN_OR_RETURN(const ImageName base, ParseImageName(naming.base));
    std::vector<std::string> mounted_from;
    if (base.repository.registry == name.registry) {
      mounted_from.push_back(base.repository.repository);
    }
    return options_.registries.OpenToWrite(name, mounted_from);
  }

  const LayersOptions options_;
};

}  // namespace

std::unique_ptr<EnvironmentBuilder> MakeLayersBuilder(LayersOptions options) {
  return std::make_unique<LayersBuilder>(std::move(options));
}

}  // namespace kinetic::env
