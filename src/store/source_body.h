#pragma once

#include "http/body.h"
#include "store/store.h"

#include <string_view>

namespace kinetic::store {

/// What a request sends, taken from a source, which outlives it.
class SourceBody final : public http::Body {
 public:
  explicit SourceBody(Source& source) : source_(source) {}

  std::uint64_t size_bytes() const override { return source_.size_bytes(); }
  Status Rewind() override;
  Result<std::size_t> Read(std::span<char> buffer) override;

 private:
  Source& source_;
  std::string_view piece_;  ///< what is left of the source's last one
};

}  // namespace kinetic::store
