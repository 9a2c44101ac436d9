#pragma once

#include "support/gcs_server/call.h"
#include "support/gcs_server/faults.h"
#include "support/gcs_server/request_log.h"
#include "support/gcs_server/socket.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

namespace kinetic::gcs_server {

/// State shared by the connections of a server.
struct ConnectionContext {
  ServerState& state;
  Faults& faults;
  RequestLog& log;
  std::atomic<std::uint64_t> requests{0};
};

/// Serves one connection until it ends.
class HttpConnection {
 public:
  HttpConnection(ConnectionContext& context, int fd, std::uint64_t number)
      : context_(context), socket_(fd), number_(number) {}

  void Serve();

 private:
  /// Returns false if the connection must be closed.
  bool ServeOne(const Request& request);
  bool ServeControl(const Request& request);
  /// Returns the response, or nullopt if the connection must be closed without one.
  std::optional<Reply> Answer(const Request& request, BodySource& body,
                              const std::optional<Fault>& fault, LoggedRequest& logged);
  std::optional<Reply> ApplyFault(BodySource& body, const Fault& fault);
  bool Refused(const Reply& reply);
  WallTime Date() const { return context_.state.dates.Apply(context_.state.behavior.clock->Now()); }

  ConnectionContext& context_;
  Socket socket_;
  std::uint64_t number_;
  bool ends_ = false;  // after this response, because the body was not read completely
};

}  // namespace kinetic::gcs_server
