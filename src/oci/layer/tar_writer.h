#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/layer/byte_sink.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

/// One thing in a layer. Times, owners and extended attributes are left out: a layer's bytes follow
/// from its entries alone. Everything belongs to root and was last changed in 1970.
struct Entry {
  enum class Kind : std::uint8_t { kFolder, kFile, kSymlink };

  std::string path;  ///< from the root, without a slash at either end: "usr/bin/env"; any bytes
  Kind kind = Kind::kFile;
  std::uint32_t mode = 0644;  ///< permission bits, 07777 at most
  Path source;                ///< of a file: where its content is; empty: it is `bytes`
  std::string bytes;
  std::string target;  ///< of a symbolic link

  static Entry Folder(std::string path, std::uint32_t mode = 0755);
  static Entry FromFile(std::string path, Path source, std::uint32_t mode = 0644);
  static Entry FromBytes(std::string path, std::string bytes, std::uint32_t mode = 0644);
  static Entry Symlink(std::string path, std::string target);
};

/// The entries in the order that a layer has them in, by the bytes of their paths, with the folders
/// that are above them and not named (0755).
///
/// @errors  kInvalidArgument: a path that is empty, absolute, not in its shortest form or there
///          twice, an entry below one that is no folder, a link to nowhere.
Result<std::vector<Entry>> Arrange(std::vector<Entry> entries);

/// Writes a tar archive as POSIX has it: ustar headers, with pax records for what does not fit them
/// (names above 100 bytes or beyond ASCII, sizes from 8 GiB on). The same calls give the same
/// bytes.
///
/// @source   https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html, "ustar" and "pax"
/// @threads  one thread at a time.
class TarWriter {
 public:
  explicit TarWriter(ByteSink sink) : sink_(std::move(sink)) {}

  /// Writes what stands before an entry's content, which follows in pieces of any size; links and
  /// folders have none.
  ///
  /// @errors  the sink's; kInternal: the content of the entry before is not of its size.
  Status Begin(const Entry& entry, std::uint64_t size_bytes);
  Status Content(std::string_view bytes);

  /// Writes the end of the archive.
  Status Finish();

 private:
  Status EndEntry();
  Status PaxHeader(std::string_view records);

  ByteSink sink_;
  std::uint64_t left_ = 0;     ///< bytes of content that are to come
  std::uint64_t padding_ = 0;  ///< bytes between the content and the next block
};

}  // namespace kinetic::oci
