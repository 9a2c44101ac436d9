#pragma once

#include "base/hash/crc32c.h"
#include "http/body.h"

#include <memory>
#include <string>

namespace kinetic::gcs {

/// The bytes [begin, end) of another body. Rewind reads the bytes before `begin`, so that the
/// checksum covers all bytes up to the current position.
class SliceBody final : public http::Body {
 public:
  SliceBody(std::shared_ptr<http::Body> whole, std::uint64_t begin, std::uint64_t end)
      : whole_(std::move(whole)), begin_(begin), end_(end) {}
  std::uint64_t size_bytes() const override { return end_ - begin_; }
  Status Rewind() override;
  Result<std::size_t> Read(std::span<char> buffer) override;

  const Crc32c& checksum() const { return checksum_; }

 private:
  std::shared_ptr<http::Body> whole_;
  std::uint64_t begin_;
  std::uint64_t end_;
  std::uint64_t at_ = 0;
  Crc32c checksum_;
};

/// A body between two strings, for multipart requests.
class FramedBody final : public http::Body {
 public:
  FramedBody(std::string before, std::shared_ptr<http::Body> content, std::string after)
      : before_(std::move(before)), content_(std::move(content)), after_(std::move(after)) {}
  std::uint64_t size_bytes() const override {
    return before_.size_bytes() + content_->size_bytes() + after_.size_bytes();
  }
  Status Rewind() override;
  Result<std::size_t> Read(std::span<char> buffer) override;

 private:
  http::BytesBody before_;
  std::shared_ptr<http::Body> content_;
  http::BytesBody after_;
};

/// Reads a whole body to compute its checksum.
///
/// @errors  those of the body; kAborted: it became shorter.
Result<Crc32c> ComputeChecksum(http::Body& body);

/// Reads the next `size_bytes`.
///
/// @errors  as ComputeChecksum.
Result<std::string> ReadExactly(http::Body& body, std::size_t size_bytes);

}  // namespace kinetic::gcs
