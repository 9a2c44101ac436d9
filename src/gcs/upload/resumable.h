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

/// What a server keeps of an upload that is not complete is a multiple of this.
inline constexpr std::uint64_t kUploadQuantumBytes = 256U << 10;

/// One object sent in a session: after a failure the server says how much it has, and the rest
/// follows. The last piece goes alone, with the checksum of all, so that the server makes no object
/// of what was damaged on its way.
///
/// @source https://cloud.google.com/storage/docs/performing-resumable-uploads
class ResumableUpload {
 public:
  struct Sent {
    std::optional<Object> object;    ///< nothing: a precondition does not hold
    std::optional<Crc32c> checksum;  ///< of what was sent; nothing when all had been sent before
  };
  /// Is told the address of each session that is begun, a secret.
  using OnBegin = std::function<void(const std::string& session)>;

  /// @param address   of the request that begins a session, preconditions included.
  /// @param resource  the object's, without its checksum, which is known only at the end.
  ResumableUpload(const Sender& sender, std::string address, Value resource, OnBegin on_begin)
      : sender_(sender),
        address_(std::move(address)),
        resource_(std::move(resource)),
        on_begin_(std::move(on_begin)) {}

  /// Goes on with a session that was begun before. One that the server does not take is begun anew.
  void GoOnWith(std::string session) {
    session_ = std::move(session);
    inherited_ = true;
  }

  /// @errors  kDataLoss: the server says that what arrived has another checksum, or has less than
  ///          it said before.
  Result<Sent> Send(const std::shared_ptr<http::Body>& body, std::stop_token stop);

 private:
  /// Where a session stands.
  struct Standing {
    std::uint64_t stored_bytes = 0;
    bool gone = false;     ///< it must be begun anew
    bool refused = false;  ///< the precondition does not hold
    std::optional<Object> finished;
    std::optional<Error> passing;  ///< it may do better later
    std::optional<std::chrono::milliseconds> retry_after;
  };

  Result<Standing> Begin(std::uint64_t size_bytes, std::stop_token stop);
  Result<Standing> SendRest(const std::shared_ptr<http::Body>& body, std::uint64_t offset,
                            std::stop_token stop);
  Result<Standing> SendLast(http::Body& body, std::uint64_t offset, Crc32c checksum,
                            std::stop_token stop);
  Result<Standing> Ask(std::uint64_t size_bytes, std::stop_token stop);
  Result<Standing> Put(const http::Request& request, std::stop_token stop) const;
  Result<Standing> Read(const http::Request& request, const http::Response& response) const;
  Result<Standing> Attempt(const std::shared_ptr<http::Body>& body, http::Backoff& backoff,
                           std::stop_token stop);
  Error Incomplete(const Standing& standing) const;

  Sender sender_;
  std::string address_;
  Value resource_;
  OnBegin on_begin_;
  std::string session_;             ///< a secret; empty: there is none
  bool inherited_ = false;          ///< from GoOnWith
  std::uint64_t stored_bytes_ = 0;  ///< as the server said last
  std::optional<Crc32c> checksum_;
};

}  // namespace kinetic::gcs
