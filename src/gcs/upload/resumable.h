#pragma once

#include "base/hash/crc32c.h"
#include "gcs/object.h"
#include "gcs/sender.h"
#include "http/body.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::gcs {

/// Servers store incomplete uploads in multiples of this size.
inline constexpr std::uint64_t kUploadGranularityBytes = 256U << 10;

/// Uploads an object in a resumable session. After a failure, continues at the offset that the
/// server reports. Sends the last piece separately with the checksum of the whole, so that the
/// server creates no object from damaged content.
///
/// @source https://cloud.google.com/storage/docs/performing-resumable-uploads
class ResumableUpload {
 public:
  struct Outcome {
    std::optional<Object> object;    ///< nullopt: a precondition failed
    std::optional<Crc32c> checksum;  ///< of the content; nullopt if it had been sent before
  };
  /// Called with the URL of each new session, which is a secret.
  using OnSession = std::function<void(const std::string& url)>;

  /// @param url       URL that starts an upload session, with preconditions.
  /// @param resource  metadata of the object, without its checksum.
  ResumableUpload(Sender sender, std::string url, Value resource, OnSession on_session)
      : sender_(std::move(sender)),
        url_(std::move(url)),
        resource_(std::move(resource)),
        on_session_(std::move(on_session)) {}

  /// Continues an earlier session. If it is on another host than the endpoint, or if the server
  /// rejects it, starts a new one.
  void Resume(std::string session);

  /// @errors  kDataLoss: checksum mismatch, or the server lost stored bytes · kPermissionDenied:
  ///          the session is on another host, which gets neither the content nor the credential.
  Result<Outcome> Send(const std::shared_ptr<http::Body>& body, std::stop_token stop);

 private:
  /// The server's state of the session.
  struct State {
    std::uint64_t stored_bytes = 0;
    bool expired = false;  ///< a new session is required
    bool precondition_failed = false;
    std::optional<Object> object;  ///< if the upload is complete
    std::optional<Error> transient_error;
    std::optional<std::chrono::milliseconds> retry_after;
  };

  Result<State> StartSession(std::uint64_t size_bytes, std::stop_token stop);
  Result<State> SendRest(const std::shared_ptr<http::Body>& body, std::uint64_t offset,
                         std::stop_token stop);
  Result<State> SendLast(http::Body& body, std::uint64_t offset, Crc32c checksum,
                         std::stop_token stop);
  Result<State> QueryState(std::uint64_t size_bytes, std::stop_token stop);
  Result<State> SendOnce(const http::Request& request, std::stop_token stop) const;
  Result<State> ReadState(const http::Request& request, const http::Response& response) const;
  Result<State> Attempt(const std::shared_ptr<http::Body>& body, http::Backoff& backoff,
                        std::stop_token stop);
  Error IncompleteError(const State& state) const;

  Sender sender_;
  std::string url_;
  Value resource_;
  OnSession on_session_;
  std::string session_;             ///< a secret; empty: no session
  bool resumed_ = false;            ///< `session_` is from Resume
  std::uint64_t stored_bytes_ = 0;  ///< as last reported by the server
  std::optional<Crc32c> checksum_;
};

}  // namespace kinetic::gcs
