#pragma once

#include "kinetic/error.h"

#include "http/transport.h"

#include <curl/curl.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kinetic::curl {

/// The result of a transfer.
struct TransferResult {
  CURLcode code = CURLE_OK;
  http::Timing timing;
  std::chrono::milliseconds silent{0};  ///< since the last byte, if it timed out
  bool reached_server = false;          ///< some of the request may have been sent
  std::string proxy = {};  ///< without a password; empty: the server is contacted directly
  long proxy_status = 0;   ///< response of the proxy to CONNECT; 0: no proxy
  int connect_errno = 0;   ///< why the last connection failed; 0: it did not
  bool certificate_refused = false;
};

/// State shared by the caller of a request and the engine's thread. Data passes through two buffers
/// in each direction.
///
/// @threads  one thread of the caller and one of the engine, concurrently.
class Transfer {
 public:
  /// What the caller must handle next.
  struct Event {
    bool finished = false;
    bool stopped = false;
    bool ready_for_body = false;  ///< more of the request body can be passed to ProvideBody
    bool head_arrived = false;    ///< of a 2xx response
    std::string arrived;          ///< content of a 2xx response
    bool resume = false;          ///< the caller must call Engine::Resume
  };

  /// Properties of the request.
  struct Kind {
    bool has_body = false;
    bool reports_head = false;  ///< wake the caller when the response head arrives
  };

  explicit Transfer(Kind kind) : reports_head_(kind.reports_head), body_ended_(!kind.has_body) {}

  // For the caller.

  /// Waits for the next event. `spare` is a buffer to reuse.
  Event Wait(std::string spare, bool body_ready);
  /// Passes the first `size` bytes of `piece`, and swaps in a used buffer. 0 bytes end the body.
  /// Returns whether the engine must be resumed.
  bool ProvideBody(std::string& piece, std::size_t size);
  void Stop();

  // For the engine.

  std::size_t OnData(std::string_view bytes);
  std::size_t OnReadBody(std::span<char> buffer);
  void OnHeader(std::string_view line);
  void Finish(const TransferResult& result);
  /// Returns whether the transfer waits for its caller.
  bool Paused() const;

  // After Finish, for the caller.

  const TransferResult& result() const { return result_; }
  /// Returns false if the connection was closed within the headers.
  bool head_complete() const { return head_complete_; }
  http::Response& response() { return response_; }
  std::array<char, CURL_ERROR_SIZE>& error_text() { return error_text_; }

 private:
  const bool reports_head_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string arrived_;
  std::string outgoing_;  ///< a buffer with `outgoing_size_` bytes of content
  std::size_t outgoing_size_ = 0;
  std::size_t outgoing_sent_ = 0;
  bool head_arrived_ = false;  ///< not yet reported
  bool body_ended_;
  bool data_paused_ = false;
  bool body_paused_ = false;
  bool stopped_ = false;
  bool finished_ = false;
  bool head_complete_ = false;
  TransferResult result_;
  http::Response response_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

/// The rate below which a transfer is not progress.
inline constexpr std::int64_t kLeastBytesPerSecond = 1024;

/// Returns the longest time below the least rate, for the stall timeout of a request. Zero: no
/// limit, for streams.
std::chrono::milliseconds TrickleTimeout(std::chrono::milliseconds stall_timeout);

/// Returns the error of a request without a response.
///
/// @param text  libcurl's own description; may be empty.
/// @source https://curl.se/libcurl/c/libcurl-errors.html
Error ErrorFromResult(const http::Request& request, const TransferResult& result,
                      std::string_view text);

}  // namespace kinetic::curl
