#pragma once

#include "base/files/unique_fd.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::gcs_server {

/// Immutable bytes, in memory if small, otherwise in a file that is removed with them.
class Blob {
 public:
  explicit Blob(std::string bytes) : bytes_(std::move(bytes)), size_bytes_(bytes_.size()) {}
  Blob(std::filesystem::path file, std::uint64_t size_bytes)
      : file_(std::move(file)), size_bytes_(size_bytes) {}
  Blob(const Blob&) = delete;
  Blob& operator=(const Blob&) = delete;
  ~Blob();

  bool in_file() const { return !file_.empty(); }
  const std::string& bytes() const { return bytes_; }  ///< when not in a file
  UniqueFd Open() const;                               ///< when in a file
  std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  std::string bytes_;
  std::filesystem::path file_;
  std::uint64_t size_bytes_;
};

/// The content of an object: consecutive blobs. Composed and copied objects share the blobs of
/// their sources.
class Content {
 public:
  Content() = default;
  explicit Content(std::shared_ptr<const Blob> blob) { Append(std::move(blob)); }

  void Append(const Content& other);
  std::uint64_t size_bytes() const { return size_bytes_; }

  /// A range of bytes of one blob.
  struct Run {
    const Blob* blob;
    std::uint64_t offset;
    std::uint64_t size_bytes;
  };
  /// Returns the ranges of blobs that make up a range, in order.
  std::vector<Run> Range(std::uint64_t offset, std::uint64_t size_bytes) const;

  /// Passes a range to `take` in pieces until it returns false. @returns whether all was taken.
  bool Read(std::uint64_t offset, std::uint64_t size_bytes,
            const std::function<bool(std::string_view piece)>& take) const;

 private:
  void Append(std::shared_ptr<const Blob> blob);

  std::vector<std::shared_ptr<const Blob>> blobs_;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace kinetic::gcs_server
