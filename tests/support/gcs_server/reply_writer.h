#pragma once

#include "base/time/clock.h"
#include "support/gcs_server/faults.h"
#include "support/gcs_server/reply.h"
#include "support/gcs_server/socket.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace kinetic::gcs_server {

/// Sends one response with its fault.
class ReplyWriter {
 public:
  /// @param date  of the response
  ReplyWriter(Socket& socket, std::optional<Fault> fault, bool closes, WallTime date)
      : socket_(socket), fault_(std::move(fault)), closes_(closes), date_(date) {}

  /// Returns false if the connection must be closed.
  bool Send(const Reply& reply, bool with_body);

 private:
  bool SendHead(const Reply& reply, bool with_body);
  bool SendContent(const ContentBody& content);
  bool SendGunzipped(const ContentBody& content);
  bool SendBytes(std::string_view bytes);
  bool Strike();

  Socket& socket_;
  std::optional<Fault> fault_;
  bool closes_;
  WallTime date_;
  std::uint64_t sent_bytes_ = 0;  // of the body
};

}  // namespace kinetic::gcs_server
