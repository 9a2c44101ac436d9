#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/files/temp_dir.h"
#include "base/time/clock.h"
#include "oci/format/reference.h"
#include "oci/layer/byte_sink.h"

#include <cstdint>
#include <stop_token>
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

/// Writes a POSIX tar archive: ustar headers, with pax records for long or non-ASCII names and
/// sizes from 8 GiB. The output depends on the arguments only.
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

/// Writes a layer in one pass and bounded memory.
///
/// @param entries  in any order.
/// @errors  those of FileSystem and the sink; kAborted: a file changed while it was read;
///          kInvalidArgument: as NormalizeEntries; kCancelled.
Result<Layer> WriteLayer(FileSystem& fs, std::vector<Entry> entries, ImageCompression compression,
                         const ByteSink& sink, const std::stop_token& stop);

/// Writes a tar archive of the entries.
///
/// @errors  as WriteLayer.
Status WriteTar(FileSystem& fs, std::vector<Entry> entries, const ByteSink& sink,
                const std::stop_token& stop);

/// Creates a temporary folder for parts of an image. Removes folders beside it that a killed
/// process left more than a day ago.
///
/// @param folder  the parent folder, created if missing.
Result<TempDir> MakeScratchFolder(FileSystem& fs, Clock& clock, const Path& folder);

}  // namespace kinetic::oci
