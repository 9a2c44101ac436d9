#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace kinetic::http {

/// The body of a request. It can be rewound, because a request may be sent again. Only the thread
/// that called Transport::Stream reads it.
class Body {
 public:
  virtual ~Body() = default;

  virtual std::uint64_t size_bytes() const = 0;
  virtual Status Rewind() = 0;
  /// Reads into `buffer` and returns the number of bytes; 0 at the end.
  virtual Result<std::size_t> Read(std::span<char> buffer) = 0;
};

/// Bytes in memory.
class BytesBody final : public Body {
 public:
  explicit BytesBody(std::string bytes) : bytes_(std::move(bytes)) {}
  std::uint64_t size_bytes() const override { return bytes_.size(); }
  Status Rewind() override;
  Result<std::size_t> Read(std::span<char> buffer) override;

 private:
  std::string bytes_;
  std::size_t read_bytes_ = 0;
};

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
