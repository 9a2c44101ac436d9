#include "oci/build/image.h"

#include "kinetic/try.h"

#include "oci/format/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::size_t kTagDigits = 12;

std::string TagOf(const std::string& version, const Digest& image_id) {
  std::string tag = fmt::format("{}-{}", version, image_id.Hex().substr(0, kTagDigits));
  std::replace(tag.begin(), tag.end(), '+', '-');  // not allowed in tags
  return tag;
}

ImageLayer ToPublic(const Layer& layer) {
  return {.digest = DigestString(layer.blob.digest),
          .diff_id = DigestString(layer.diff_id),
          .compressed_bytes = layer.blob.size_bytes,
          .content_bytes = layer.content_bytes};
}

}  // namespace

Result<std::string> DefaultTag(FileSystem& fs, const ImageSpec& image, const std::string& version,
                               const std::stop_token& stop) {
  std::vector<Layer> layers(image.layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    Sha256 content;
    const auto hash = [&](std::string_view bytes) -> Status {
      content.Update(bytes);
      return {};
    };
    KINETIC_RETURN_IF_ERROR(WriteTar(fs, image.layers[i], hash, stop));
    layers[i].diff_id = content.Finish();
  }
  return TagOf(version, Sha256::Of(ConfigDocument(image.config, layers).ToJson()));
}

WrittenImage BuiltImage::ToWrittenImage() const {
  WrittenImage described{.name = name.Text(),
                         .digest = DigestString(manifest.digest),
                         .image_id = DigestString(config.digest),
                         .layers = {}};
  std::transform(layers.begin(), layers.end(), std::back_inserter(described.layers), ToPublic);
  return described;
}

Result<BuiltImage> BuildImage(FileSystem& fs, const ImageSpec& image,
                              const ImageBuildOptions& options, const Path& folder,
                              const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(ImageLayout layout, ImageLayout::Create(fs, folder));
  std::vector<Layer> layers;
  for (const auto& entries : image.layers) {
    KINETIC_ASSIGN_OR_RETURN(layers.emplace_back(),
                             layout.AddLayer(entries, options.compression, stop));
  }
  KINETIC_ASSIGN_OR_RETURN(
      const Descriptor config,
      layout.AddDocument(media_type::kConfig, ConfigDocument(image.config, layers)));
  KINETIC_ASSIGN_OR_RETURN(
      const Descriptor manifest,
      layout.AddDocument(media_type::kManifest, ManifestDocument(config, layers)));
  Reference name = options.name;
  if (name.tag.empty()) name.tag = TagOf(options.version, config.digest);
  return BuiltImage{std::move(layout), std::move(name), std::move(layers), config, manifest};
}

}  // namespace kinetic::oci
