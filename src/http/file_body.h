#pragma once

#include "base/files/file_system.h"
#include "http/body.h"

#include <memory>

namespace kinetic::http {

/// The bytes [begin, end) of an open file, read as they are sent.
class FileBody final : public Body {
 public:
  /// @param file  open for reading; bodies may share it.
  /// @param fs    must outlive the body.
  FileBody(FileSystem& fs, std::shared_ptr<const UniqueFd> file, std::uint64_t begin,
           std::uint64_t end)
      : fs_(&fs), file_(std::move(file)), begin_(begin), end_(end), at_(begin) {}

  /// Opens a whole file. @errors those of FileSystem::Open.
  static Result<std::shared_ptr<FileBody>> Open(FileSystem& fs, const Path& path);

  /// Returns a body of another range of the same file.
  std::shared_ptr<FileBody> Slice(std::uint64_t begin, std::uint64_t end) const {
    return std::make_shared<FileBody>(*fs_, file_, begin, end);
  }
  /// Returns the status of the whole file.
  Result<FileStatus> Stat() const { return fs_->Fstat(file_->get()); }

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
