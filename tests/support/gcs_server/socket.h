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

/// One end of a connection; the descriptor belongs to the caller.
///
/// @threads  one thread at a time.
class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}

  /// Up to and with the empty line; nothing at the end of the connection or when it is too long.
  std::optional<std::string> ReadHead();
  /// A line without its end.
  std::optional<std::string> ReadLine();
  /// Some bytes; 0 at the end of the connection.
  std::size_t Read(std::span<char> buffer);

  bool Send(std::string_view bytes, bool more_follows = false);
  bool SendFile(int file, std::uint64_t offset, std::uint64_t size_bytes);

  /// The connection ends with a reset when it is closed.
  void Reset();
  /// Nothing more is sent; waits a little for the other side to have read it.
  void EndGently();
  /// Waits that long, zero for ever, or until the other side is gone.
  void Stall(std::chrono::milliseconds time);

 private:
  bool Receive();

  int fd_;
  std::string buffer_;
  std::size_t read_ = 0;  // of the buffer
};

/// A body as HTTP/1.1 frames it: by length, in chunks, or none.
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
