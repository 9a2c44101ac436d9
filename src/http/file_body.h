#pragma once

#include "base/file_system.h"
#include "http/body.h"

#include <memory>

namespace kinetic::http {

/// The bytes [begin, end) of an open file, read from the disk as they are sent.
class FileBody final : public Body {
 public:
  /// @param file  open for reading; several bodies may share it. The file system outlives them.
  FileBody(FileSystem& fs, std::shared_ptr<const UniqueFd> file, std::uint64_t begin,
           std::uint64_t end)
      : fs_(&fs), file_(std::move(file)), begin_(begin), end_(end), at_(begin) {}

  /// A whole file. @errors those of FileSystem::Open.
  static Result<std::shared_ptr<FileBody>> Open(FileSystem& fs, const Path& path);

  /// Some of its bytes, to be read beside it. @param begin  counts, like `end`, in the file.
  std::shared_ptr<FileBody> Slice(std::uint64_t begin, std::uint64_t end) const {
    return std::make_shared<FileBody>(*fs_, file_, begin, end);
  }
  /// Of the file.
  Result<FileStatus> FileStatusNow() const { return fs_->StatusOf(file_->get()); }

  std::uint64_t size_bytes() const override { return end_ - begin_; }
  Status Rewind() override;
  Result<std::size_t> Read(std::span<char> buffer) override;

 private:
  FileSystem* fs_;
  std::shared_ptr<const UniqueFd> file_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t at_;
};

}  // namespace kinetic::http
