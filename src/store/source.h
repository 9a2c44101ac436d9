#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/files/unique_fd.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::store {

/// A file that is open for reading.
struct OpenFile {
  FileSystem* fs;
  std::shared_ptr<const UniqueFd> fd;
};

/// Content to store, produced in pieces. A store rewinds it to repeat a failed attempt.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::uint64_t size_bytes() const = 0;
  virtual Status Rewind() = 0;
  /// Returns the next piece, which is valid until the next call, or an empty piece at the end.
  virtual Result<std::string_view> Next() = 0;

  /// Identifies the bytes across processes: a digest, or a file's path, size and times. A store may
  /// resume an upload of the same bytes that another process left. Empty: uploads are not resumed.
  virtual std::string identity() const { return {}; }
  /// Returns the file that holds exactly these bytes, which a store may read in parallel, or
  /// nullopt if the bytes are not one file.
  virtual std::optional<OpenFile> file() const { return std::nullopt; }
};

/// Bytes in memory, in one or two pieces, which must outlive the source.
class BytesSource final : public Source {
 public:
  explicit BytesSource(std::string_view bytes, std::string_view rest = {}) : pieces_{bytes, rest} {}
  std::uint64_t size_bytes() const override { return pieces_[0].size() + pieces_[1].size(); }
  Status Rewind() override;
  Result<std::string_view> Next() override;

 private:
  std::array<std::string_view, 2> pieces_;
  std::size_t next_ = 0;
};

/// A file, read in pieces. It must not change while it is read; stores detect a changed length.
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
  FileStatus status_;  ///< when it was opened
  std::uint64_t offset_ = 0;
  std::vector<char> buffer_;
};

}  // namespace kinetic::store
