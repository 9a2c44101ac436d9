#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "oci/layer/byte_sink.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

/// A file of a new layer. It is owned by root and dated 1970, so that the layer's bytes depend on
/// its entries only.
struct Entry {
  enum class Kind : std::uint8_t { kFolder, kFile, kSymlink };

  std::string path;  ///< from the root, without leading or trailing slash: "usr/bin/env"; any bytes
  Kind kind = Kind::kFile;
  std::uint32_t mode = 0644;  ///< permission bits, at most 07777
  Path source;                ///< of a file: its content; empty: `bytes`
  std::string bytes;
  std::string target;  ///< of a symbolic link

  static Entry Folder(std::string path, std::uint32_t mode = 0755);
  static Entry FromFile(std::string path, Path source, std::uint32_t mode = 0644);
  static Entry FromBytes(std::string path, std::string bytes, std::uint32_t mode = 0644);
  static Entry Symlink(std::string path, std::string target);
};

/// Sorts entries by path and adds missing parent folders (0755).
///
/// @errors  kInvalidArgument: a path is empty, absolute, not normalized or duplicate; an entry is
///          below a file; a link has no target.
Result<std::vector<Entry>> NormalizeEntries(std::vector<Entry> entries);

/// Writes a POSIX tar archive: ustar headers, with pax records for long or non-ASCII names and sizes
/// from 8 GiB. The output depends on the arguments only.
///
/// @source   https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html, "ustar" and "pax"
/// @threads  one thread at a time.
class TarWriter {
 public:
  explicit TarWriter(ByteSink sink) : sink_(std::move(sink)) {}

  /// Writes an entry's header. Its content follows, in pieces of any size.
  ///
  /// @errors  those of the sink; kInternal: the previous entry is incomplete.
  Status BeginEntry(const Entry& entry, std::uint64_t size_bytes);
  Status WriteContent(std::string_view bytes);

  /// Writes the end of the archive.
  Status Finish();

 private:
  Status EndEntry();
  Status WritePaxHeader(std::string_view records);

  ByteSink sink_;
  std::uint64_t left_ = 0;     ///< bytes of content still to be written
  std::uint64_t padding_ = 0;  ///< bytes between the content and the next block
};

}  // namespace kinetic::oci
