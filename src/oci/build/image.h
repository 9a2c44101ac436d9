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

/// A folder with images as files: blobs by their digests, and an index of what they make.
///
/// @source   https://github.com/opencontainers/image-spec/blob/v1.1.0/image-layout.md
/// @threads  one thread at a time.
class Layout {
 public:
  /// Makes the folders of a layout in an empty folder.
  static Result<Layout> Make(FileSystem& fs, Path folder);

  Result<Layer> AddLayer(std::vector<Entry> entries, ImageCompression compression,
                         const std::stop_token& stop);
  Result<Descriptor> AddDocument(std::string_view media_type, const Value& document);
  /// The last thing that is written.
  Status AddIndex(const Value& index);

  /// Where a blob lies that was added.
  Path BlobPath(const Digest& digest) const;

  /// Writes the layout as one tar archive, the same bytes for the same layout.
  Status Pack(const ByteSink& sink, const std::stop_token& stop) const;

 private:
  Layout(FileSystem& fs, Path folder) : fs_(&fs), folder_(std::move(folder)) {}

  FileSystem* fs_;
  Path folder_;
  std::vector<Digest> blobs_;
};

/// An image that is yet to be written: what is stable in the first layers, what changes often in
/// the last.
struct Image {
  ImageConfig config;
  std::vector<std::vector<Entry>> layers;
};

/// What an image is called, and how it is written.
struct Packaging {
  Reference name;       ///< without a tag, it gets "{version}-{12 hex digits of the image id}"
  std::string version;  ///< of what is in the image
  ImageCompression compression = ImageCompression::kZstd;
};

/// An image as the files of a layout, which has no index yet.
struct BuiltImage {
  Layout layout;
  Reference name;  ///< with a tag
  std::vector<Layer> layers;
  Descriptor config;
  Descriptor manifest;

  /// What callers of the library are told of it.
  WrittenImage Description() const;
};

/// Writes the blobs of an image into an empty folder, or one that is yet to be made.
///
/// @errors  the file system's; those of WriteLayer.
Result<BuiltImage> BuildImage(FileSystem& fs, const Image& image, const Packaging& packaging,
                              const Path& folder, const std::stop_token& stop);

/// Writes an image as an OCI layout in one tar archive, through a folder beside it that is gone at
/// the end.
///
/// @errors  the file system's; those of WriteLayer. No file is left, and none is replaced.
Result<WrittenImage> WriteImage(FileSystem& fs, const Image& image, const Packaging& packaging,
                                const Path& output, const std::stop_token& stop);

struct PushReport {
  std::uint64_t sent_bytes = 0;
  std::uint64_t present_bytes = 0;  ///< that the repository had
};

/// Stores an image in a repository under its tag: the blobs that are missing, then the manifest, so
/// that whoever finds the tag finds all of it.
///
/// @errors  those of Repository and of FileSystem.
Result<PushReport> PushImage(FileSystem& fs, const BuiltImage& image, const Repository& repository,
                             std::stop_token stop);

/// Assembles the image of the runner: a root file system in which `kinetic-runner` starts by its
/// path, /kinetic-runner/bin/kinetic-runner, with nothing else on board.
///
/// The loader and the libraries are in /kinetic-runner/lib; /lib, and the folder in which programs
/// look for their loader, lead there. Programs lose their symbols; libraries are what they are on
/// this machine. Two layers: what changes with the machine, and what changes with kinetic.
///
/// @param library_folders  where shared libraries are looked for; empty: where this machine's
///                         loader looks.
/// @errors  as WriteRunnerImage.
Result<Image> RunnerImage(FileSystem& fs, const RunnerImageRequest& request,
                          const std::vector<Path>& library_folders = {});

}  // namespace kinetic::oci
