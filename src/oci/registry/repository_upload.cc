#include "kinetic/try.h"

#include "http/retry.h"
#include "http/url.h"
#include "oci/registry/repository.h"

#include <tuple>
#include <utility>

namespace kinetic::oci {
namespace {

/// Returns the URL of an upload session. It may be on another server, which gets no credentials,
/// but must use TLS if the registry does.
Result<std::string> UploadUrl(const RegistryAddress& registry, const http::Response& started) {
  std::string address(started.headers.Get("location").value_or(""));
  if (address.starts_with('/')) address.insert(0, registry.url);
  const auto parts = http::ParseUrl(address);
  if (!parts) {
    return Fail(ErrorCode::kDataLoss, registry.name + " returned an invalid URL for an upload");
  }
  if (registry.url.starts_with("https://") && parts->scheme != "https") {
    return Fail(
        ErrorCode::kFailedPrecondition,
        registry.name + " requests an upload without TLS, to " + http::RedactedUrl(address).Text(),
        "its external URL is misconfigured: report this to the owner of the registry");
  }
  return address;
}

/// Returns whether the upload session no longer exists. A new one may succeed.
bool IsUploadLost(const http::Response& response) {
  return response.status == 416 || HasErrorCode(response, "BLOB_UPLOAD_UNKNOWN") ||
         HasErrorCode(response, "BLOB_UPLOAD_INVALID");
}

}  // namespace

Repository::Attempt Repository::Classify(const http::Request& request,
                                         const Result<http::Response>& response, bool is_done) {
  if (is_done) return {};
  if (!response) {
    const bool retryable = http::IsRetryable(response.error(), http::Idempotency::kIdempotent);
    return {response.error(), retryable, std::nullopt};
  }
  const bool retryable = http::IsRetryable(*response) || IsUploadLost(*response);
  return {ErrorFromResponse(request, *response), retryable, http::RetryAfter(*response)};
}

Repository::Attempt Repository::TryUpload(const Descriptor& blob,
                                          const std::shared_ptr<http::Body>& body,
                                          std::stop_token stop) const {
  http::Request begin = MakeRequest("POST", BaseUrl().Part("blobs").Part("uploads").Text() + "/");
  begin.body = std::make_shared<http::BytesBody>("");
  const auto started = transport_->Send(begin, stop);
  Attempt attempt = Classify(begin, started, started && started->status == 202);
  if (attempt.error) return attempt;
  auto session = UploadUrl(registry_, *started);
  if (!session) return {std::move(session).error(), false, std::nullopt};
  const char* const joint = session->find('?') == std::string::npos ? "?" : "&";
  http::Request put = MakeRequest(
      "PUT", *session + joint + "digest=" + http::PercentEncode(DigestString(blob.digest)));
  put.headers = {{"Content-Type", "application/octet-stream"}};
  put.body = body;
  const auto stored = transport_->Send(put, std::move(stop));
  return Classify(put, stored, stored && stored->status / 100 == 2);
}

Status Repository::CancelUpload(const http::Response& started, std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(const std::string session, UploadUrl(registry_, started));
  KINETIC_RETURN_IF_ERROR(transport_->Send(MakeRequest("DELETE", session), std::move(stop)));
  return {};
}

Result<bool> Repository::MountBlob(const Descriptor& blob, const std::string& from_repository,
                                   std::stop_token stop) const {
  const std::string operation =
      "mounting " + DigestString(blob.digest) + " from " + from_repository + " to " + Text();
  http::Url address = BaseUrl();
  address.Part("blobs")
      .Part("uploads")
      .Raw("/")
      .Query("mount", DigestString(blob.digest))
      .Query("from", from_repository);
  http::Request request = MakeRequest("POST", address.Text());
  request.body = std::make_shared<http::BytesBody>("");
  KINETIC_ASSIGN_OR_RETURN(const http::Response response, Send(request, operation, stop));
  if (response.status == 201) return true;
  if (response.status != 202) return Rejected(request, response, operation);
  // The registry expires the session if this fails.
  std::ignore = CancelUpload(response, std::move(stop));
  return false;
}

Result<bool> Repository::UploadBlob(const Descriptor& blob, const std::shared_ptr<http::Body>& body,
                                    std::stop_token stop) const {
  const std::string operation = "uploading " + DigestString(blob.digest) + " to " + Text();
  http::Backoff backoff(options_.retry, *clock_);
  for (bool sent = false;; sent = true) {
    // Also after a failure, because only the response may have been lost.
    KINETIC_ASSIGN_OR_RETURN(const bool exists, HasBlob(blob.digest, stop));
    if (exists) return sent;
    Attempt attempt = TryUpload(blob, body, stop);
    if (!attempt.error) return true;
    Error error = std::move(*attempt.error).Context(operation);
    if (!attempt.retryable) return Failure(std::move(error));
    KINETIC_RETURN_IF_ERROR(backoff.Wait(error, attempt.retry_after, stop));
  }
}

}  // namespace kinetic::oci
