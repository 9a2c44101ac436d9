#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/files/file_system.h"
#include "oci/layer/writer.h"

#include <stop_token>
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

}  // namespace kinetic::oci
