#pragma once

#include "support/gcs_server/body.h"
#include "support/gcs_server/request.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kinetic::gcs_server {

/// One end of a connection. The caller owns the descriptor.
///
/// @threads  one thread at a time.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}

  /// Reads up to and including the empty line; nullopt at the end of the connection or if it is too
  /// long.
  std::optional<std::string> ReadHead();
  /// Reads a line without its end.
  std::optional<std::string> ReadLine();
  /// Reads some bytes; 0 at the end of the connection.
  std::size_t Read(std::span<char> buffer);

  bool Send(std::string_view bytes, bool more_follows = false);
  bool SendFile(int file, std::uint64_t offset, std::uint64_t size_bytes);

  /// Makes close send a reset.
  void Reset();
  /// Stops sending and waits briefly for the client to read the rest.
  void EndGently();
  /// Waits, indefinitely if zero, or until the client has disconnected.
  void Stall(std::chrono::milliseconds time);

 private:
  bool Receive();

  int fd_;
  std::string buffer_;
  std::size_t read_ = 0;  // of the buffer
};

/// A body in HTTP/1.1 framing: by length, chunked, or none.
class SocketBody final : public BodySource {
 public:
  SocketBody(Socket& socket, const Request& request);

  Piece Read(std::span<char> buffer) override;
  std::optional<std::uint64_t> size_bytes() const override;
  bool well_formed() const { return well_formed_; }

 private:
  bool NextChunk();
  Piece ReadFramed(std::span<char> buffer);

  Socket& socket_;
  bool well_formed_ = true;
  bool chunked_ = false;
  bool continue_wanted_ = false;
  bool ended_ = false;
  bool first_chunk_ = true;
  std::uint64_t left_bytes_ = 0;  // of the body, or of the chunk
  std::uint64_t length_bytes_ = 0;
};

}  // namespace kinetic::gcs_server
