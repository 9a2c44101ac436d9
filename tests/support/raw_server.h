#pragma once

#include "base/files/unique_fd.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace kinetic::test {

/// A server's end of a connection, byte by byte.
class Connection {
 public:
  explicit Connection(int fd) : fd_(fd) {}

  /// Returns the head of the next request including its empty line; empty at the end of the
  /// connection.
  std::string ReadHead();
  /// Returns that many bytes of a body, or fewer at the end.
  std::string ReadBytes(std::size_t count);
  /// Returns false if the client has disconnected.
  bool Send(std::string_view bytes);
  /// Closes the connection with a reset.
  void Reset();
  /// Blocks until the client has closed the connection.
  void AwaitClose();
  /// Stops receiving and acknowledging data, as if this side had lost power or a router the
  /// connection.
  void StopReceiving();
  int fd() const { return fd_; }

 private:
  bool Fill();

  int fd_;
  std::string buffer_;
};

/// A server whose behavior on each connection, by number, is defined by the test.
class RawServer {
 public:
  using Handler = std::function<void(Connection& connection, int number)>;

  explicit RawServer(Handler handler);
  RawServer(const RawServer&) = delete;
  RawServer& operator=(const RawServer&) = delete;
  ~RawServer();

  /// "http://127.0.0.1:PORT"
  std::string Url() const;
  std::uint16_t port() const { return port_; }
  int connections() const { return accepted_.load(); }

 private:
  void Accept(const std::stop_token& stop);

  Handler handler_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::atomic<int> accepted_{0};
  std::mutex mutex_;
  std::vector<int> open_;
  std::vector<std::jthread> threads_;
  std::jthread acceptor_;
};

/// Returns a response with body and length.
std::string AnswerText(int status, std::string_view body, std::string_view more_headers = {});

}  // namespace kinetic::test
