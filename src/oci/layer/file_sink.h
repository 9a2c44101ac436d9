#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/try.h"

#include <string_view>
#include <utility>

namespace kinetic::oci {

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

}  // namespace kinetic::oci
