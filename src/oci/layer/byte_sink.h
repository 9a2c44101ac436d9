#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"
#include "kinetic/try.h"

#include "base/files/file_system.h"

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace kinetic::oci {

/// Receives bytes in order. The producer stops at the first error.
using ByteSink = std::function<Status(std::string_view bytes)>;

/// Writes a new file.
class FileSink {
 public:
  static Result<FileSink> Create(FileSystem& fs, const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(UniqueFd file, fs.Open(path, OpenMode::kCreateNew, 0644));
    return FileSink(fs, std::move(file));
  }

  Status Write(std::string_view bytes) { return fs_->Write(file_.get(), bytes); }
  Status Sync() { return fs_->Sync(file_.get()); }

 private:
  FileSink(FileSystem& fs, UniqueFd file) : fs_(&fs), file_(std::move(file)) {}

  FileSystem* fs_;
  UniqueFd file_;
};

/// Compresses a stream in bounded memory. The output depends only on the input and the version of
/// the compression library: it contains no time or name, and uses one thread.
///
/// @threads  one thread at a time.
class Compressor {
 public:
  virtual ~Compressor() = default;

  /// @errors  those of the sink; kResourceExhausted: out of memory.
  virtual Status Write(std::string_view bytes) = 0;
  /// Writes the end of the stream. Must be called last.
  virtual Status Finish() = 0;
};

/// @errors  kResourceExhausted: out of memory.
Result<std::unique_ptr<Compressor>> MakeCompressor(ImageCompression compression, ByteSink sink);

}  // namespace kinetic::oci
