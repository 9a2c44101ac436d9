#pragma once

#include "support/gcs_server/faults.h"
#include "support/gcs_server/socket.h"

#include <cstdint>
#include <optional>

namespace kinetic::gcs_server {

/// Applies a fault to a body and counts the bytes.
class FaultyBody final : public BodySource {
 public:
  FaultyBody(BodySource& body, Socket& socket, std::optional<Fault> fault)
      : body_(body), socket_(socket), fault_(std::move(fault)) {}

  Piece Read(std::span<char> buffer) override;
  std::optional<std::uint64_t> size_bytes() const override { return body_.size_bytes(); }

  std::uint64_t passed_bytes() const { return passed_bytes_; }
  bool lost() const { return lost_; }
  bool struck() const { return struck_; }  ///< the connection must be closed

 private:
  bool StrikesHere();

  BodySource& body_;
  Socket& socket_;
  std::optional<Fault> fault_;
  std::uint64_t passed_bytes_ = 0;
  bool lost_ = false;
  bool struck_ = false;
};

}  // namespace kinetic::gcs_server
