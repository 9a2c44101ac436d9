#pragma once

#include "support/raw_server.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace kinetic::test {

/// A TCP proxy to a server that can inject faults.
class TcpProxy {
 public:
  /// @param host  an IPv4 address.
  TcpProxy(std::string host, std::uint16_t port);
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;
  ~TcpProxy();

  std::uint16_t port() const { return server_.port(); }
  int connections() const { return server_.connections(); }

  /// Silences the current connections forever, like a router that lost their state.
  void SilenceConnections();
  /// Resets the current connections.
  void ResetConnections();
  /// While true, new connections are closed immediately.
  void RefuseConnections(bool refuse) { refuse_ = refuse; }

 private:
  /// One connection in both directions.
  struct Pair;

  void Pass(Connection& client);
  void ForAll(void (*act)(Pair&));

  std::string host_;
  std::uint16_t to_port_;
  std::atomic<bool> refuse_{false};
  std::mutex mutex_;
  std::set<Pair*> pairs_;
  RawServer server_;
};

}  // namespace kinetic::test
