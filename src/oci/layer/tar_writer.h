#pragma once

#include "kinetic/result.h"

#include "oci/layer/byte_sink.h"
#include "oci/layer/entry.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::oci {

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
