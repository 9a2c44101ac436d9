#pragma once

#include "base/files/unique_fd.h"
#include "support/gcs_server/checksums.h"
#include "support/gcs_server/content.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// Storage of contents: a folder for large ones, memory for small ones up to a limit.
///
/// @threads  safe to call concurrently.
class ContentStorage {
 public:
  /// Creates a folder within `parent`, which the destructor removes.
  explicit ContentStorage(const std::filesystem::path& parent);
  ContentStorage(const ContentStorage&) = delete;
  ContentStorage& operator=(const ContentStorage&) = delete;
  ~ContentStorage();

  std::filesystem::path NewFile();
  bool HasMemory() const;
  /// Stores bytes in memory and counts them until the last user releases them.
  std::shared_ptr<const Blob> Keep(std::string bytes);
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::atomic<std::uint64_t> files_{0};
  std::shared_ptr<std::atomic<std::uint64_t>> kept_bytes_;  // blobs may outlive the store
};

/// The result of an upload.
struct WrittenContent {
  Content content;
  std::uint32_t crc32c = 0;
  std::optional<std::string> md5;  ///< in base64; none if not requested
};

/// Stores the bytes of an upload and computes checksums.
///
/// @threads  one thread at a time.
class ContentWriter {
 public:
  ContentWriter(ContentStorage& contents, bool with_md5);
  ContentWriter(ContentWriter&&) noexcept;
  ~ContentWriter();

  /// Returns false if the disk is full.
  bool Append(std::string_view bytes);
  std::uint64_t size_bytes() const { return size_bytes_; }
  /// Must be the last call.
  WrittenContent Finish();

 private:
  bool Spill();
  bool Write(std::string_view bytes);

  ContentStorage* storage_;
  std::string small_;
  std::filesystem::path path_;
  UniqueFd file_;
  std::uint64_t size_bytes_ = 0;
  std::uint32_t crc32c_ = 0;
  std::optional<Md5> md5_;
};

}  // namespace kinetic::gcs_server
