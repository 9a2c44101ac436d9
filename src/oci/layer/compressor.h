#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"

#include "oci/layer/byte_sink.h"

#include <memory>
#include <string_view>

namespace kinetic::oci {

/// Compresses a stream in bounded memory. The same bytes, in pieces of any size, come out as the
/// same bytes (of one version of the library that does it): no time, no name, one thread.
///
/// @threads  one thread at a time.
class Compressor {
 public:
  virtual ~Compressor() = default;

  /// @errors  the sink's; kResourceExhausted: no memory.
  virtual Status Write(std::string_view bytes) = 0;
  /// Writes what is held back and the end; nothing is written after it.
  virtual Status Finish() = 0;
};

/// @errors  kResourceExhausted: no memory.
Result<std::unique_ptr<Compressor>> MakeCompressor(ImageCompression compression, ByteSink sink);

}  // namespace kinetic::oci
