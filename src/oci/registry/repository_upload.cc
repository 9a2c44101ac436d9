#include "base/try.h"
#include "http/redacted.h"
#include "http/retry.h"
#include "oci/registry/repository.h"

#include <tuple>
#include <utility>

namespace kinetic::oci {
namespace {

/// Where an upload that was begun goes on. An address of another server is taken, and that server
/// is shown nothing; one without TLS is not, where the registry has it.
Result<std::string> SessionIn(const RegistryAddress& registry, const http::Response& begun) {
  std::string address(begun.headers.Get("location").value_or(""));
  if (address.starts_with('/')) address.insert(0, registry.url);
  const auto parts = http::ParseUrl(address);
  if (!parts) {
    return Fail(ErrorCode::kDataLoss, registry.name + " names no address for an upload");
  }
  if (registry.url.starts_with("https://") && parts->scheme != "https") {
    return Fail(ErrorCode::kFailedPrecondition,
                registry.name + " wants the bytes sent without TLS, to " +
                    http::RedactedUrl(address).Text(),
                "its address as it sees it itself is set wrong: tell its owner");
  }
  return address;
}

/// The registry knows nothing of the upload any more: another one may do better.
bool IsLost(const http::Response& response) {
  return response.status == 416 || Says(response, "BLOB_UPLOAD_UNKNOWN") ||
         Says(response, "BLOB_UPLOAD_INVALID");
}

}  // namespace

Repository::Try Repository::Judge(const http::Request& request,
                                  const Result<http::Response>& response, bool is_done) {
  if (is_done) return {};
  if (!response) {
    const bool retryable = http::IsRetryable(response.error(), http::Idempotency::kIdempotent);
    return {response.error(), retryable, std::nullopt};
  }
  const bool may_pass = http::IsRetryable(*response) || IsLost(*response);
  return {ErrorOf(request, *response), may_pass, http::RetryAfter(*response)};
}

Repository::Try Repository::UploadOnce(const Descriptor& blob,
                                       const std::shared_ptr<http::Body>& body,
                                       std::stop_token stop) const {
  http::Request begin = RequestTo("POST", Address().Part("blobs").Part("uploads").Text() + "/");
  begin.body = std::make_shared<http::BytesBody>("");
  const auto begun = transport_->Send(begin, stop);
  Try tried = Judge(begin, begun, begun && begun->status == 202);
  if (tried.failed) return tried;
  auto session = SessionIn(registry_, *begun);
  if (!session) return {std::move(session).error(), false, std::nullopt};
  const char* const joint = session->find('?') == std::string::npos ? "?" : "&";
  http::Request put =
      RequestTo("PUT", *session + joint + "digest=" + http::PercentEncode(NameOf(blob.digest)));
  put.headers = {{"Content-Type", "application/octet-stream"}};
  put.body = body;
  const auto stored = transport_->Send(put, std::move(stop));
  return Judge(put, stored, stored && stored->status / 100 == 2);
}

Status Repository::EndSession(const http::Response& begun, std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(const std::string session, SessionIn(registry_, begun));
  KINETIC_RETURN_IF_ERROR(transport_->Send(RequestTo("DELETE", session), std::move(stop)));
  return {};
}

Result<bool> Repository::Mount(const Descriptor& blob, const std::string& from_repository,
                               std::stop_token stop) const {
  const std::string doing =
      "taking " + NameOf(blob.digest) + " from " + from_repository + " to " + Text();
  http::Url address = Address();
  address.Part("blobs")
      .Part("uploads")
      .Raw("/")
      .Query("mount", NameOf(blob.digest))
      .Query("from", from_repository);
  http::Request request = RequestTo("POST", address.Text());
  request.body = std::make_shared<http::BytesBody>("");
  KINETIC_ASSIGN_OR_RETURN(const http::Response response, Send(request, doing, stop));
  if (response.status == 201) return true;
  if (response.status != 202) return Refused(request, response, doing);
  // What was not asked for: the registry forgets it in time, should this fail.
  std::ignore = EndSession(response, std::move(stop));
  return false;
}

Result<bool> Repository::Upload(const Descriptor& blob, const std::shared_ptr<http::Body>& body,
                                std::stop_token stop) const {
  const std::string doing = "sending " + NameOf(blob.digest) + " to " + Text();
  http::Backoff backoff(options_.retry, *clock_);
  for (bool sent = false;; sent = true) {
    // Also after a failure: the answer alone may have been lost.
    KINETIC_ASSIGN_OR_RETURN(const bool there, HasBlob(blob.digest, stop));
    if (there) return sent;
    Try tried = UploadOnce(blob, body, stop);
    if (!tried.failed) return true;
    Error error = std::move(*tried.failed).Context(doing);
    if (!tried.may_pass) return Failure(std::move(error));
    KINETIC_RETURN_IF_ERROR(backoff.Wait(error, tried.retry_after, stop));
  }
}

}  // namespace kinetic::oci
