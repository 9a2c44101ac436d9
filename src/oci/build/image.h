#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "oci/format/documents.h"
#include "oci/layer/writer.h"
#include "oci/registry/repository.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

/// An image to build. Layers that change rarely come first.
struct ImageSpec {
  ImageConfig config;
  std::vector<std::vector<Entry>> layers;
};

struct ImageBuildOptions {
  Reference name;       ///< the default tag is "{version}-{12 hex digits of the image id}"
  std::string version;  ///< of the image's content
  ImageCompression compression = ImageCompression::kZstd;
};

/// A folder in the OCI image layout: blobs by digest, and an index.
///
/// @source   https://github.com/opencontainers/image-spec/blob/v1.1.0/image-layout.md
/// @threads  one thread at a time.
class ImageLayout {
 public:
  /// Creates an empty layout in an empty folder.
  static Result<ImageLayout> Create(FileSystem& fs, Path folder);

  Result<Layer> AddLayer(std::vector<Entry> entries, ImageCompression compression,
                         const std::stop_token& stop);
  Result<Descriptor> AddDocument(std::string_view media_type, const Value& document);
  /// Must be called last.
  Status AddIndex(const Value& index);

  Path BlobPath(const Digest& digest) const;

  /// Writes the layout as a tar archive. Equal layouts have equal archives.
  Status WriteArchive(const ByteSink& sink, const std::stop_token& stop) const;

 private:
  ImageLayout(FileSystem& fs, Path folder) : fs_(&fs), folder_(std::move(folder)) {}

  FileSystem* fs_;
  Path folder_;
  std::vector<Digest> blobs_;
};

/// Returns the tag that BuildImage sets by default, without compressing the layers.
///
/// @errors  those of WriteTar.
Result<std::string> DefaultTag(FileSystem& fs, const ImageSpec& image, const std::string& version,
                               const std::stop_token& stop);

/// An image in a layout that has no index yet.
struct BuiltImage {
  ImageLayout layout;
  Reference name;  ///< with a tag
  std::vector<Layer> layers;
  Descriptor config;
  Descriptor manifest;

  WrittenImage ToWrittenImage() const;
};

/// Writes the blobs of an image to a folder, which must be empty or missing.
///
/// @errors  those of FileSystem and WriteLayer.
Result<BuiltImage> BuildImage(FileSystem& fs, const ImageSpec& image,
                              const ImageBuildOptions& options, const Path& folder,
                              const std::stop_token& stop);

/// Writes an image as a tar archive of an OCI layout, through a temporary folder beside `output`.
/// Replaces `output` only if it succeeds.
///
/// @errors  those of FileSystem and WriteLayer.
Result<WrittenImage> WriteImage(FileSystem& fs, const ImageSpec& image,
                                const ImageBuildOptions& options, const Path& output,
                                const std::stop_token& stop);

struct PushReport {
  std::uint64_t sent_bytes = 0;
  std::uint64_t present_bytes = 0;  ///< that the repository already had
};

/// Pushes an image to a repository under its tag: missing blobs first, then the manifest.
///
/// @errors  those of Repository and FileSystem.
Result<PushReport> PushImage(FileSystem& fs, const BuiltImage& image, const Repository& repository,
                             std::stop_token stop);

/// Returns the runner image: a root file system with `kinetic-runner` at
/// /kinetic-runner/bin/kinetic-runner, its libraries, and nothing else.
///
/// Loader and libraries are in /kinetic-runner/lib; /lib and the loader's standard folder are links
/// to it. Programs are stripped; libraries are copied from this machine unchanged. The first layer
/// depends on the machine, the second on kinetic's version.
///
/// @param library_folders  where to find shared libraries; empty: as this machine's loader.
/// @errors  as WriteRunnerImage.
Result<ImageSpec> RunnerImageSpec(FileSystem& fs, const RunnerImageRequest& request,
                                  const std::vector<Path>& library_folders = {});

}  // namespace kinetic::oci
