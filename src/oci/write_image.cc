#include "oci/write_image.h"

#include "base/temp_dir.h"
#include "base/try.h"
#include "oci/file_sink.h"
#include "oci/layout.h"
#include "oci/media_types.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinetic::oci {
namespace {

constexpr std::size_t kTagDigits = 12;

std::string TagOf(const std::string& version, const Digest& image_id) {
  std::string tag = fmt::format("{}-{}", version, image_id.Hex().substr(0, kTagDigits));
  std::replace(tag.begin(), tag.end(), '+', '-');  // which versions may have and tags may not
  return tag;
}

ImageLayer ToPublic(const Layer& layer) {
  return {.digest = NameOf(layer.blob.digest),
          .diff_id = NameOf(layer.diff_id),
          .compressed_bytes = layer.blob.size_bytes,
          .content_bytes = layer.content_bytes};
}

/// The folder that a file is written in; "." for a bare name.
Path FolderOf(const Path& file) {
  const Path parent = file.parent_path();
  return parent.empty() ? Path(".") : parent;
}

Status PackInto(FileSystem& fs, const Layout& layout, const Path& path,
                const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(FileSink file, FileSink::Create(fs, path));
  const ByteSink sink = [&](std::string_view bytes) { return file.Write(bytes); };
  KINETIC_RETURN_IF_ERROR(layout.Pack(sink, stop));
  return file.Sync();
}

}  // namespace

Result<WrittenImage> WriteImage(FileSystem& fs, const Image& image, const Packaging& packaging,
                                const Path& output, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const TempDir work,
                           TempDir::Make(fs, FolderOf(output), ".kinetic-image-"));
  KINETIC_ASSIGN_OR_RETURN(Layout layout, Layout::Make(fs, work.path() / "layout"));
  std::vector<Layer> layers;
  for (const auto& entries : image.layers) {
    KINETIC_ASSIGN_OR_RETURN(layers.emplace_back(),
                             layout.AddLayer(entries, packaging.compression, stop));
  }
  KINETIC_ASSIGN_OR_RETURN(
      const Descriptor config,
      layout.AddDocument(media_type::kConfig, ConfigDocument(image.config, layers)));
  KINETIC_ASSIGN_OR_RETURN(
      const Descriptor manifest,
      layout.AddDocument(media_type::kManifest, ManifestDocument(config, layers)));
  Reference name = packaging.name;
  if (name.tag.empty()) name.tag = TagOf(packaging.version, config.digest);
  KINETIC_RETURN_IF_ERROR(
      layout.AddIndex(IndexDocument(manifest, name, image.config.architecture)));

  const Path unnamed = work.path() / "image.tar";
  KINETIC_RETURN_IF_ERROR(PackInto(fs, layout, unnamed, stop));
  KINETIC_RETURN_IF_ERROR(fs.Rename(unnamed, output));
  WrittenImage written{
      .name = name.Text(), .digest = NameOf(manifest.digest), .image_id = NameOf(config.digest)};
  std::transform(layers.begin(), layers.end(), std::back_inserter(written.layers), ToPublic);
  return written;
}

}  // namespace kinetic::oci
