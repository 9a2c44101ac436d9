#pragma once

#include "curl/transport.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace kinetic::test {

/// Returns a transport with its own engine, or null if libcurl cannot be loaded.
inline std::unique_ptr<http::Transport> MakeTransport(curl::Options options = {}) {
  auto engine = curl::StartEngine();
  if (!engine) return nullptr;
  return std::make_unique<curl::CurlTransport>(*std::move(engine), std::move(options));
}

inline http::Request Get(std::string url) {
  http::Request request;
  request.url = std::move(url);
  return request;
}

inline http::Request Put(std::string url, std::shared_ptr<http::Body> body) {
  http::Request request;
  request.method = "PUT";
  request.url = std::move(url);
  request.body = std::move(body);
  return request;
}

/// A body of any length with computed content, which needs no memory.
class PatternBody final : public http::Body {
 public:
  explicit PatternBody(std::uint64_t size_bytes) : size_bytes_(size_bytes) {}
  std::uint64_t size_bytes() const override { return size_bytes_; }
  Status Rewind() override {
    ++rewinds;
    offset_ = 0;
    return {};
  }
  Result<std::size_t> Read(std::span<char> buffer) override {
    const std::uint64_t left = size_bytes_ - offset_;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), left));
    for (std::size_t i = 0; i < count; ++i) buffer[i] = At(offset_ + i);
    offset_ += count;
    return count;
  }
  static char At(std::uint64_t offset) { return static_cast<char>(offset * 31 + (offset >> 16)); }

  int rewinds = 0;

 private:
  std::uint64_t size_bytes_;
  std::uint64_t offset_ = 0;
};

}  // namespace kinetic::test
