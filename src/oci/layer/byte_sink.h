#pragma once

#include "kinetic/image.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/try.h"

#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace kinetic::oci {

/// Takes the next bytes; its error ends what makes them.
using ByteSink = std::function<Status(std::string_view bytes)>;

/// A new file, written from its beginning.
class FileSink {
 public:
  static Result<FileSink> Create(FileSystem& fs, const Path& path) {
    KINETIC_ASSIGN_OR_RETURN(UniqueFd file, fs.Open(path, OpenMode::kCreateNew, 0644));
    return FileSink(fs, std::move(file));
  }

  Status Write(std::string_view bytes) { return fs_->Write(file_.get(), bytes); }
  /// Forces what was written to the disk.
  Status Sync() { return fs_->Sync(file_.get()); }

 private:
  FileSink(FileSystem& fs, UniqueFd file) : fs_(&fs), file_(std::move(file)) {}

  FileSystem* fs_;
  UniqueFd file_;
};

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
