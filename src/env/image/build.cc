#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "bundle/format/tree_codec.h"
#include "bundle/gc/content_lease.h"
#include "bundle/read/tree_loader.h"
#include "env/image/layers_builder.h"
#include "env/image/package_layers.h"
#include "env/packages/stored_packages.h"
#include "http/body.h"
#include "oci/build/extend_image.h"
#include "oci/format/reference.h"
#include "oci/layer/writer.h"
#include "oci/registry/remote_image.h"
#include "oci/registry/repository.h"
#include "record/packages/objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

/// Number of layers compressed in parallel.
constexpr std::size_t kWriters = 4;

/// The build of one image.
class ImageBuild {
 public:
  ImageBuild(const Lock& lock, const LayersOptions& options, const oci::Repository& repository,
             Observer* observer, std::stop_token stop)
      : lock_(lock),
        options_(options),
        repository_(repository),
        observer_(observer),
        stop_(std::move(stop)) {}

  /// @returns the digest of the image, which is tagged.
  Result<Digest> Run(const RegistryBaseImage& base) {
    KINETIC_ASSIGN_OR_RETURN(const oci::ImagePython python,
                             FindBasePython(options_.tools, base, lock_.python, stop_));
    bundle::ContentLease lease(options_.store, &bundle::ReferencesOf);
    const PackageStore packages{options_.tools, options_.private_urls, options_.store, lease,
                                options_.naming.prefix};
    KINETIC_ASSIGN_OR_RETURN(const PackageTrees found,
                             ObtainPackageTrees(lock_, packages, observer_, stop_));
    KINETIC_RETURN_IF_ERROR(CheckLibrary(found, python, base));
    KINETIC_ASSIGN_OR_RETURN(
        const TempDir scratch,
        oci::MakeScratchFolder(*options_.tools.fs, *options_.tools.clock,
                               options_.tools.cache_dir / kImageScratchFolder));
    LayerSource source{
        options_.store, *options_.tools.fs, scratch.path(), {}, options_.naming.prefix};
    for (const auto& tree : found.trees) {
      source.trees.push_back(bundle::TreeDigest(tree.entries));
    }
    KINETIC_RETURN_IF_ERROR(MakeLayers(found, source, python));
    KINETIC_RETURN_IF_ERROR(CopyBase(base, scratch.path()));
    return PutImage(base);
  }

 private:
  void Report(const std::string& line) {
    if (observer_ != nullptr) observer_->OnOutput(Phase::kBuild, line);
  }

  /// Checks the C library, as the launcher does for packages unpacked in a pod.
  Status CheckLibrary(const PackageTrees& found, const oci::ImagePython& python,
                      const RegistryBaseImage& base) const {
    if (python.has_glibc) return {};
    for (std::size_t i = 0; i < found.trees.size(); ++i) {
      const auto& entries = found.trees[i].entries;
      const bool built = std::ranges::any_of(entries, [](const bundle::TreeEntry& entry) {
        return entry.path.ends_with(".so") || entry.path.find(".so.") != std::string::npos;
      });
      if (!built) continue;
      return Fail(ErrorCode::kFailedPrecondition,
                  fmt::format("the image {} has no glibc (Alpine, for example, uses musl), but {} "
                              "is built for glibc",
                              base.name, lock_.packages[i].DisplayName()),
                  fmt::format("set an image with glibc in the profile, such as python:{}-slim",
                              lock_.python));
    }
    return {};
  }

  Status MakeLayers(const PackageTrees& found, const LayerSource& source,
                    const oci::ImagePython& python) {
    KINETIC_ASSIGN_OR_RETURN(const bundle::MergedTree merged, bundle::MergeTrees(found.trees));
    std::vector<std::string> names;
    names.reserve(lock_.packages.size());
    for (const auto& package : lock_.packages) names.push_back(package.DisplayName());
    const auto planned = PlanLayers(found.trees, names, merged.tree, options_.naming.prefix);
    KINETIC_ASSIGN_OR_RETURN(
        LayerFile environment_layer,
        WriteVirtualEnvironmentLayer(source, python.path, lock_.python, stop_));
    KINETIC_RETURN_IF_ERROR(Send(environment_layer));
    layers_.push_back(environment_layer.layer);
    layers_.resize(planned.size() + 1);
    KINETIC_ASSIGN_OR_RETURN(const auto missing, FindLayers(planned));
    return MakeMissing(planned, missing, source);
  }

  /// Fills `layers_` with the layers that are in the registry.
  /// @returns the indices of the missing layers.
  Result<std::vector<std::size_t>> FindLayers(const std::vector<PlannedLayer>& planned) {
    std::vector<std::optional<record::StoredLayer>> known(planned.size());
    KINETIC_RETURN_IF_ERROR(
        ParallelFor(kConcurrentReads, planned.size(), stop_,
                    [&](std::size_t i, const std::stop_token& stop) -> Status {
                      KINETIC_ASSIGN_OR_RETURN(
                          known[i], record::ReadStoredLayer(options_.store, planned[i].key, stop));
                      return {};
                    }));
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < planned.size(); ++i) {
      bool exists = false;
      if (known[i]) {
        KINETIC_ASSIGN_OR_RETURN(exists, repository_.HasBlob(known[i]->blob, stop_));
      }
      if (!exists) {
        missing.push_back(i);
        continue;
      }
      layers_[i + 1] = {{oci::media_type::kLayerZstd, known[i]->blob, known[i]->bytes},
                        known[i]->diff_id,
                        known[i]->content_bytes};
    }
    return missing;
  }

  Status MakeMissing(const std::vector<PlannedLayer>& planned,
                     const std::vector<std::size_t>& missing, const LayerSource& source) {
    std::vector<std::optional<LayerFile>> built(missing.size());
    KINETIC_RETURN_IF_ERROR(ParallelFor(
        kWriters, missing.size(), stop_, [&](std::size_t i, const std::stop_token& stop) -> Status {
          KINETIC_ASSIGN_OR_RETURN(built[i], WritePackageLayer(planned[missing[i]], source, stop));
          return {};
        }));
    for (std::size_t i = 0; i < missing.size(); ++i) {
      const PlannedLayer& plan = planned[missing[i]];
      const oci::Layer& layer = built[i]->layer;
      KINETIC_RETURN_IF_ERROR(Send(*built[i]));
      Report(fmt::format("layer of {}: {}", plan.name, FormatBytes(layer.blob.size_bytes)));
      layers_[missing[i] + 1] = layer;
      KINETIC_RETURN_IF_ERROR(record::WriteStoredLayer(
          options_.store, plan.key,
          {layer.blob.digest, layer.blob.size_bytes, layer.diff_id, layer.content_bytes}, stop_));
    }
    return {};
  }

  Status Send(const LayerFile& built) {
    KINETIC_ASSIGN_OR_RETURN(const auto body, http::FileBody::Open(*options_.tools.fs, built.file));
    KINETIC_RETURN_IF_ERROR(repository_.UploadBlob(built.layer.blob, body, stop_));
    return RemoveTree(*options_.tools.fs, built.file);
  }

  Status CopyBase(const RegistryBaseImage& base, const Path& scratch) {
    std::uint64_t sent_bytes = 0;
    for (const auto& blob : base.image.layers) {
      KINETIC_ASSIGN_OR_RETURN(
          const std::uint64_t sent,
          oci::CopyBlob(*options_.tools.fs, *base.repository, repository_, blob, scratch, stop_));
      sent_bytes += sent;
    }
    if (sent_bytes > 0) Report(fmt::format("layers of {}: {}", base.name, FormatBytes(sent_bytes)));
    return {};
  }

  Result<Digest> PutImage(const RegistryBaseImage& base) {
    KINETIC_ASSIGN_OR_RETURN(const oci::ImageSettings settings, oci::ReadImageSettings(base.image));
    const auto labels = ImageLabels(lock_, options_.naming, oci::DigestString(base.image.digest));
    std::vector<std::string> variables;
    for (const auto& [name, value] : ImageVariables(options_.naming, settings.Variable("PATH"))) {
      variables.push_back(name + "=" + value);
    }
    const oci::ImageExtension extension{.layers = layers_,
                                        .labels = {labels.begin(), labels.end()},
                                        .environment = variables,
                                        .comment = "kinetic: packages"};
    KINETIC_ASSIGN_OR_RETURN(const oci::ExtendedImage image,
                             oci::ExtendImage(base.image, extension));
    KINETIC_RETURN_IF_ERROR(repository_.UploadBlob(
        image.config, std::make_shared<http::BytesBody>(image.config_json), stop_));
    KINETIC_RETURN_IF_ERROR(repository_.PutManifest(image.manifest.media_type, image.manifest_json,
                                                    ImageTag(lock_, options_.naming), stop_));
    return image.manifest.digest;
  }

  const Lock& lock_;
  const LayersOptions& options_;
  const oci::Repository& repository_;
  Observer* observer_;
  std::stop_token stop_;
  std::vector<oci::Layer> layers_;  ///< appended layers, lowest first
};

}  // namespace

Result<Digest> BuildImage(const Lock& lock, const LayersOptions& options,
                          const RegistryBaseImage& base, const oci::Repository& repository,
                          Observer* observer, std::stop_token stop) {
  auto digest = ImageBuild(lock, options, repository, observer, std::move(stop)).Run(base);
  if (digest) return digest;
  return Failure(
      std::move(digest).error().Context("cannot build the image of the job's environment"));
}

}  // namespace kinetic::env
