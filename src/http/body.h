#pragma once

#include "kinetic/result.h"

#include <cstdint>
#include <span>
#include <string>

namespace kinetic::http {

/// What a request sends. It can be read again from its beginning, because a request may have to be
/// sent again.
///
/// @threads  read by the thread that called Transport::Stream, and by no other.
class Body {
 public:
  virtual ~Body() = default;

  virtual std::uint64_t size_bytes() const = 0;
  virtual Status Rewind() = 0;
  /// Fills `buffer` from its front; fewer bytes than it holds are no sign of the end, none are.
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

}  // namespace kinetic::http
