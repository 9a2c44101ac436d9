#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::record {

/// A file that a job has downloaded.
struct DownloadedFile {
  std::string path;        ///< relative to the folder of all downloads: "keras/models/a.h5"
  std::uint32_t mode = 0;  ///< permission bits, 0777 at most
  std::uint64_t size_bytes = 0;
  std::string crc32c;  ///< as Crc32c::Base64
  Digest content;      ///< names the object

  bool operator==(const DownloadedFile&) const = default;
};

/// The content of downloads/{key}/manifest.json: docs/reference/store.md, "Downloads".
struct Downloads {
  std::vector<DownloadedFile> files;
  std::map<std::string, std::string> links;  ///< relative targets of symbolic links, by path
  std::uint64_t Bytes() const;
};

std::string ToJson(const Downloads& downloads);

/// Parses the document, and checks the paths with store::CheckName. Does not check the links.
///
/// @errors  kDataLoss: not such a document · kFailedPrecondition: of a newer version.
Result<Downloads> DownloadsFromJson(std::string_view json);

}  // namespace kinetic::record
