#pragma once

#include "base/file_system.h"
#include "store/store.h"

#include <string_view>
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
  std::uint64_t size_bytes() const override { return size_bytes_; }
  Status Rewind() override;
  Result<std::string_view> Next() override;

 private:
  FileSource(FileSystem& fs, UniqueFd fd, std::uint64_t size_bytes)
      : fs_(&fs), fd_(std::move(fd)), size_bytes_(size_bytes) {}

  FileSystem* fs_;
  UniqueFd fd_;
  std::uint64_t size_bytes_;
  std::uint64_t offset_ = 0;
  std::vector<char> buffer_;
};

}  // namespace kinetic::store
