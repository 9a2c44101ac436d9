#include "gcs/resumable_upload.h"

#include "base/strings.h"
#include "base/try.h"
#include "gcs/answers.h"
#include "gcs/checked_body.h"
#include "gcs/error.h"
#include "http/redacted.h"

namespace kinetic::gcs {
namespace {

/// How much "bytes=0-N" says is stored; without the field, nothing is.
std::uint64_t StoredBytes(const http::Response& response) {
  const std::string_view range = response.headers.Get("range").value_or("");
  const auto last = ParseInt(range.substr(std::min(range.size(), range.rfind('-') + 1)));
  return last && *last >= 0 ? static_cast<std::uint64_t>(*last) + 1 : 0;
}

http::Request ToSession(const std::string& session, const std::string& range) {
  http::Request request;
  request.method = "PUT";
  request.url = session;
  request.headers = {{"Content-Range", range}};
  request.body = std::make_shared<http::BytesBody>("");
  return request;
}

bool MayPass(const Error& error) {
  return http::Classify(error, http::Idempotency::kSafe) == http::Verdict::kTransient;
}

}  // namespace

Status ResumableUpload::Begin(std::uint64_t size_bytes, std::stop_token stop) {
  http::Request request;
  request.method = "POST";
  request.url = address_;
  request.headers = {{"Content-Type", "application/json; charset=UTF-8"},
                     {"X-Upload-Content-Type", "application/octet-stream"},
                     {"X-Upload-Content-Length", std::to_string(size_bytes)}};
  request.body = std::make_shared<http::BytesBody>(resource_.ToJson());
  // A session that nobody uses is no harm.
  const http::RetryingClient client(*transport_, &ErrorOf, retry_, *clock_);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           client.Send(request, http::Idempotency::kSafe, std::move(stop)));
  if (response.status / 100 != 2) return Failure(ErrorOf(request, response));
  session_ = response.headers.Get("location").value_or("");
  if (!session_.empty()) return {};
  return Fail(ErrorCode::kDataLoss,
              "POST " + http::RedactedUrl(address_).Text() + ": the answer names no session");
}

Result<ResumableUpload::Standing> ResumableUpload::Read(const http::Request& request,
                                                        const http::Response& response) const {
  Standing standing;
  if (response.status == 308) {
    standing.stored_bytes = StoredBytes(response);
    return standing;
  }
  if (response.status == 404 || response.status == 410) {
    standing.gone = true;
    return standing;
  }
  if (response.status == 412) {
    standing.refused = true;
    return standing;
  }
  KINETIC_ASSIGN_OR_RETURN(standing.finished, ObjectUnless(0, request, response));
  return standing;
}

Result<ResumableUpload::Standing> ResumableUpload::SendRest(const std::shared_ptr<http::Body>& body,
                                                            std::uint64_t offset,
                                                            std::stop_token stop) {
  const std::uint64_t size = body->size_bytes();
  const auto tail = std::make_shared<TailBody>(body, offset);
  http::Request request =
      ToSession(session_, "bytes " + std::to_string(offset) + "-" + std::to_string(size - 1) + "/" +
                              std::to_string(size));
  request.body = tail;
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           transport_->Send(request, std::move(stop)));
  KINETIC_ASSIGN_OR_RETURN(Standing standing, Read(request, response));
  const bool differs = standing.finished && !standing.finished->crc32c.empty() &&
                       standing.finished->crc32c != tail->checksum().Base64();
  if (!differs) return standing;
  return Fail(ErrorCode::kDataLoss,
              "storing " + standing.finished->name + ": the server's CRC32C is " +
                  standing.finished->crc32c + ", and what was sent has " +
                  tail->checksum().Base64(),
              "send it again; if it happens again, this machine or the network alters bytes");
}

Result<ResumableUpload::Standing> ResumableUpload::Ask(std::uint64_t size_bytes,
                                                       std::stop_token stop) {
  const http::Request request = ToSession(session_, "bytes */" + std::to_string(size_bytes));
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           transport_->Send(request, std::move(stop)));
  return Read(request, response);
}

Result<ResumableUpload::Standing> ResumableUpload::Attempt(const std::shared_ptr<http::Body>& body,
                                                           std::uint64_t offset,
                                                           std::stop_token stop) {
  if (session_.empty()) {
    KINETIC_RETURN_IF_ERROR(Begin(body->size_bytes(), stop));
    return SendRest(body, 0, std::move(stop));
  }
  KINETIC_ASSIGN_OR_RETURN(Standing standing, Ask(body->size_bytes(), stop));
  if (standing.finished || standing.gone || standing.refused) return standing;
  if (standing.stored_bytes < offset) {
    return Fail(ErrorCode::kDataLoss, "an upload session has lost bytes that it had stored");
  }
  return SendRest(body, standing.stored_bytes, std::move(stop));
}

Result<std::optional<Object>> ResumableUpload::Send(const std::shared_ptr<http::Body>& body,
                                                    std::stop_token stop) {
  http::Attempts attempts(retry_, *clock_);
  std::uint64_t stored = 0;
  for (;;) {
    auto standing = Attempt(body, stored, stop);
    if (!standing) {
      if (!MayPass(standing.error())) return Failure(std::move(standing).error());
      KINETIC_RETURN_IF_ERROR(attempts.Again(standing.error(), std::nullopt, stop));
      continue;
    }
    if (standing->finished || standing->refused) return standing->finished;
    if (standing->gone) {
      session_.clear();
      stored = 0;
    } else if (standing->stored_bytes > stored) {
      stored = standing->stored_bytes;
      attempts.Progress();
    }
    const Error cause{
        ErrorCode::kUnavailable,
        "storing in " + http::RedactedUrl(address_).Text() +
            (standing->gone ? ": the upload session is gone" : ": the server stored a part only"),
        "",
        {}};
    KINETIC_RETURN_IF_ERROR(attempts.Again(cause, std::nullopt, stop));
  }
}

}  // namespace kinetic::gcs
