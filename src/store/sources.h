#pragma once

#include "base/file_system.h"
#include "store/store.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::store {

/// Bytes in memory, which outlive the object.
class BytesSource final : public Source {
 public:
  explicit BytesSource(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t size_bytes() const override { return bytes_.size(); }
  Status Rewind() override;
  Result<std::string_view> Next() override;

 private:
  std::string_view bytes_;
  bool given_ = false;
};

/// A file, read in pieces; it must not change meanwhile (a change of length is found by the store).
class FileSource final : public Source {
 public:
  static Result<FileSource> Open(FileSystem& fs, const Path& path);
  std::uint64_t size_bytes() const override { return status_.size_bytes; }
  Status Rewind() override;
  Result<std::string_view> Next() override;
  std::string identity() const override;
  std::optional<OpenFile> file() const override { return file_; }

 private:
  FileSource(OpenFile file, const FileStatus& status) : file_(std::move(file)), status_(status) {}

  OpenFile file_;
  FileStatus status_;  ///< as it was opened
  std::uint64_t offset_ = 0;
  std::vector<char> buffer_;
};

}  // namespace kinetic::store
