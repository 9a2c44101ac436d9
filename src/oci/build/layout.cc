#include "kinetic/try.h"

#include "oci/build/image.h"
#include "oci/layer/byte_sink.h"

#include <algorithm>
#include <string>
#include <utility>

namespace kinetic::oci {
namespace {

constexpr const char* kBlobs = "blobs/sha256";
constexpr const char* kIndex = "index.json";
constexpr const char* kLayoutFile = "oci-layout";
constexpr const char* kLayoutFileContent = R"({"imageLayoutVersion":"1.0.0"})";

Status WriteNew(FileSystem& fs, const Path& path, std::string_view bytes) {
  KINETIC_ASSIGN_OR_RETURN(FileSink file, FileSink::Create(fs, path));
  return file.Write(bytes);
}

}  // namespace

Result<ImageLayout> ImageLayout::Create(FileSystem& fs, Path folder) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder / kBlobs));
  KINETIC_RETURN_IF_ERROR(WriteNew(fs, folder / kLayoutFile, kLayoutFileContent));
  return ImageLayout(fs, std::move(folder));
}

Path ImageLayout::BlobPath(const Digest& digest) const { return folder_ / kBlobs / digest.Hex(); }

Result<Layer> ImageLayout::AddLayer(std::vector<Entry> entries, ImageCompression compression,
                                    const std::stop_token& stop) {
  const Path unnamed = folder_ / "layer.part";
  KINETIC_ASSIGN_OR_RETURN(FileSink file, FileSink::Create(*fs_, unnamed));
  const ByteSink sink = [&](std::string_view bytes) { return file.Write(bytes); };
  KINETIC_ASSIGN_OR_RETURN(const Layer layer,
                           WriteLayer(*fs_, std::move(entries), compression, sink, stop));
  KINETIC_RETURN_IF_ERROR(fs_->Rename(unnamed, BlobPath(layer.blob.digest)));
  blobs_.push_back(layer.blob.digest);
  return layer;
}

Result<Descriptor> ImageLayout::AddDocument(std::string_view media_type, const Value& document) {
  const std::string text = document.ToJson();
  const Descriptor blob{media_type, Sha256::Of(text), text.size()};
  KINETIC_RETURN_IF_ERROR(WriteFileAtomically(*fs_, BlobPath(blob.digest), text));
  blobs_.push_back(blob.digest);
  return blob;
}

Status ImageLayout::AddIndex(const Value& index) {
  return WriteFileAtomically(*fs_, folder_ / kIndex, index.ToJson());
}

Status ImageLayout::WriteArchive(const ByteSink& sink, const std::stop_token& stop) const {
  std::vector<Digest> blobs = blobs_;
  std::sort(blobs.begin(), blobs.end());
  blobs.erase(std::unique(blobs.begin(), blobs.end()), blobs.end());  // equal layers are one blob
  std::vector<Entry> entries;
  for (const char* name : {kIndex, kLayoutFile})
    entries.push_back(Entry::FromFile(name, folder_ / name));
  for (const Digest& blob : blobs) {
    const Path path = BlobPath(blob);
    entries.push_back(Entry::FromFile(Path(kBlobs) / blob.Hex(), path));
  }
  return WriteTar(*fs_, std::move(entries), sink, stop);
}

}  // namespace kinetic::oci
