#pragma once

#include "kinetic/result.h"

#include <cstdint>
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

}  // namespace kinetic::http
