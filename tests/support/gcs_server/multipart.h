#pragma once

#include "http/headers.h"
#include "support/gcs_server/body.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::gcs_server {

/// Returns the boundary of a multipart Content-Type, quoted or not.
std::optional<std::string> BoundaryOf(std::string_view content_type);

/// Reads the parts of a multipart body as they arrive. As a BodySource it yields the bytes of the
/// current part. Lines may end without a carriage return, as written by Google's clients.
///
/// @source RFC 2046, section 5.1
class MultipartReader final : public BodySource {
 public:
  MultipartReader(BodySource& body, std::string_view boundary);

  /// Returns the headers of the next part; nullopt after the last one or if the body is not
  /// multipart.
  std::optional<http::Headers> NextPart();

  Piece Read(std::span<char> buffer) override;
  std::optional<std::uint64_t> size_bytes() const override { return std::nullopt; }

 private:
  bool Receive();
  std::optional<std::string> Line();
  std::string_view Held() const { return std::string_view(held_).substr(at_); }

  BodySource& body_;
  std::string delimiter_;  // including the end of the line before it
  std::string held_;
  std::size_t at_ = 0;
  bool in_part_ = false;
  bool has_returns_ = false;  // the last line of headers ended with "\r\n"
  std::vector<char> piece_;
};

}  // namespace kinetic::gcs_server
