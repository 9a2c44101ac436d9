#include "kinetic/try.h"

#include "http/body.h"
#include "oci/build/image.h"

#include <utility>
#include <vector>

namespace kinetic::oci {
namespace {

constexpr std::uint64_t kMaxManifestBytes = 4U << 20;

std::vector<Descriptor> BlobsOf(const BuiltImage& image) {
  std::vector<Descriptor> blobs;
  blobs.reserve(image.layers.size() + 1);
  for (const Layer& layer : image.layers) blobs.push_back(layer.blob);
  blobs.push_back(image.config);
  return blobs;
}

/// @returns whether the manifest was sent.
Result<bool> PushManifest(FileSystem& fs, const BuiltImage& image, const Repository& repository,
                          const std::stop_token& stop) {
  // Some registries reject replacing a tag, even by the same manifest.
  KINETIC_ASSIGN_OR_RETURN(const auto existing, repository.FindManifest(image.name.tag, stop));
  if (existing == image.manifest.digest) return false;
  KINETIC_ASSIGN_OR_RETURN(
      const std::string bytes,
      ReadFile(fs, image.layout.BlobPath(image.manifest.digest), kMaxManifestBytes));
  KINETIC_RETURN_IF_ERROR(
      repository.PutManifest(image.manifest.media_type, bytes, image.name.tag, stop));
  return true;
}

}  // namespace

Result<PushReport> PushImage(FileSystem& fs, const BuiltImage& image, const Repository& repository,
                             std::stop_token stop) {
  PushReport report;
  const auto count = [&](bool sent, const Descriptor& what) {
    (sent ? report.sent_bytes : report.present_bytes) += what.size_bytes;
  };
  for (const Descriptor& blob : BlobsOf(image)) {
    KINETIC_ASSIGN_OR_RETURN(const auto file,
                             http::FileBody::Open(fs, image.layout.BlobPath(blob.digest)));
    KINETIC_ASSIGN_OR_RETURN(const bool sent, repository.UploadBlob(blob, file, stop));
    count(sent, blob);
  }
  KINETIC_ASSIGN_OR_RETURN(const bool sent, PushManifest(fs, image, repository, stop));
  count(sent, image.manifest);
  return report;
}

}  // namespace kinetic::oci
