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

/// One connection as a server sees it, byte by byte.
class Connection {
 public:
  explicit Connection(int fd) : fd_(fd) {}

  /// The next request's head, up to and with its empty line; empty at the end of the connection.
  std::string ReadHead();
  /// That many bytes of a body, or fewer at the end.
  std::string ReadBytes(std::size_t count);
  /// False when the other side is gone.
  bool Send(std::string_view bytes);
  /// Ends the connection with a reset instead of a proper end.
  void Reset();
  /// Blocks until the other side has closed.
  void AwaitClose();
  /// What the other side sends from now on is not received and not acknowledged, as if this side
  /// had lost its power, or a router the connection.
  void Vanish();
  int fd() const { return fd_; }

 private:
  bool Fill();

  int fd_;
  std::string buffer_;
};

/// A server on a port of its own that does what a test says with each connection, number by number:
/// what no proper server does on request.
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

/// An answer with a body and its length.
std::string AnswerText(int status, std::string_view body, std::string_view more_headers = {});

}  // namespace kinetic::test
