#pragma once

#include "kinetic/error.h"

#include "http/transport.h"

#include <curl/curl.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kinetic::curl {

/// The result of a transfer.
struct Ending {
  CURLcode code = CURLE_OK;
  http::Timing timing;
  bool reached_server =
      false;              ///< a connection was ready, and some of the request may have been sent
  long proxy_status = 0;  ///< response of the proxy to CONNECT; 0: no proxy
  bool certificate_refused = false;
};

/// State shared by the caller of a request and the engine's thread. Data passes through two buffers
/// in each direction.
///
/// @threads  the caller's half and the engine's half on one thread each, at the same time.
class Transfer {
 public:
  /// The next action of the caller.
  struct Turn {
    bool finished = false;
    bool stopped = false;
    bool wants_body = false;    ///< there is room for more of the body
    bool head_arrived = false;  ///< of a 2xx answer, since the last turn
    std::string arrived;        ///< of a 2xx answer
    bool resume = false;        ///< the caller must call Engine::Resume
  };

  /// Properties of the request.
  struct Kind {
    bool has_body = false;
    bool awaits_head = false;  ///< wake the caller when the response head arrives
  };

  explicit Transfer(Kind kind) : awaits_head_(kind.awaits_head), body_ended_(!kind.has_body) {}

  // The caller's half.

  /// Waits until there is something to do. `spare` is an emptied buffer to be used again.
  Turn Await(std::string spare, bool body_ready);
  /// Hands over the next piece of the body, the first `size` bytes of `piece`, and gives back a
  /// buffer that was sent; no bytes end the body. True: the engine waits for it.
  bool Offer(std::string& piece, std::size_t size);
  void Stop();

  // The engine's half.

  std::size_t OnData(std::string_view bytes);
  std::size_t OnBodyWanted(std::span<char> buffer);
  void OnHeader(std::string_view line);
  void Finish(const Ending& ending);
  /// Returns whether the transfer waits for its caller.
  bool Paused() const;

  // After Finish, for the caller.

  const Ending& ending() const { return ending_; }
  /// False when the connection ended in the midst of the header fields.
  bool head_complete() const { return head_complete_; }
  http::Response& response() { return response_; }
  std::array<char, CURL_ERROR_SIZE>& error_text() { return error_text_; }

 private:
  const bool awaits_head_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string arrived_;
  std::string outgoing_;  ///< a buffer: `outgoing_size_` bytes of it count
  std::size_t outgoing_size_ = 0;
  std::size_t outgoing_sent_ = 0;
  bool head_arrived_ = false;  ///< and its caller has not been told
  bool body_ended_;
  bool data_paused_ = false;
  bool body_paused_ = false;
  bool stopped_ = false;
  bool finished_ = false;
  bool head_complete_ = false;
  Ending ending_;
  http::Response response_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

/// Returns the error of a request without a response.
///
/// @param text  libcurl's own description; may be empty.
/// @source https://curl.se/libcurl/c/libcurl-errors.html
Error ErrorOf(const http::Request& request, const Ending& ending, std::string_view text);

}  // namespace kinetic::curl
