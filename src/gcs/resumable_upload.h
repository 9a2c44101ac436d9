#pragma once

#include "gcs/object.h"
#include "http/body.h"
#include "http/retry.h"
#include "http/transport.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::gcs {

/// One object sent in a session: after a failure the server says how much it has, and the rest
/// follows.
///
/// @source https://cloud.google.com/storage/docs/performing-resumable-uploads
class ResumableUpload {
 public:
  /// @param address   of the request that begins a session, preconditions included.
  /// @param resource  the object's, without its checksum, which is known only at the end.
  ResumableUpload(http::Transport& transport, Clock& clock, const http::RetryPolicy& retry,
                  std::string address, Value resource)
      : transport_(&transport),
        clock_(&clock),
        retry_(retry),
        address_(std::move(address)),
        resource_(std::move(resource)) {}

  /// Nothing: a precondition does not hold. @errors kDataLoss when what arrived has another
  /// checksum, or the server has less than it said before.
  Result<std::optional<Object>> Send(const std::shared_ptr<http::Body>& body, std::stop_token stop);

 private:
  /// Where a session stands.
  struct Standing {
    std::uint64_t stored_bytes = 0;
    bool gone = false;     ///< it must be begun anew
    bool refused = false;  ///< the precondition does not hold
    std::optional<Object> finished;
  };

  Status Begin(std::uint64_t size_bytes, std::stop_token stop);
  Result<Standing> SendRest(const std::shared_ptr<http::Body>& body, std::uint64_t offset,
                            std::stop_token stop);
  Result<Standing> Ask(std::uint64_t size_bytes, std::stop_token stop);
  Result<Standing> Read(const http::Request& request, const http::Response& response) const;
  Result<Standing> Attempt(const std::shared_ptr<http::Body>& body, std::uint64_t offset,
                           std::stop_token stop);

  http::Transport* transport_;
  Clock* clock_;
  http::RetryPolicy retry_;
  std::string address_;
  Value resource_;
  std::string session_;  ///< a secret; empty: there is none
};

}  // namespace kinetic::gcs
