#include "gcs/upload/resumable.h"

#include "base/strings.h"
#include "base/try.h"
#include "gcs/protocol.h"
#include "gcs/upload/checked_body.h"
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

/// "bytes 0-9/20"
std::string RangeText(std::uint64_t begin, std::uint64_t end, std::uint64_t size) {
  return "bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) + "/" +
         std::to_string(size);
}

}  // namespace

Result<ResumableUpload::Standing> ResumableUpload::Begin(std::uint64_t size_bytes,
                                                         std::stop_token stop) {
  http::Request request;
  request.method = "POST";
  request.url = address_;
  request.headers = {{"Content-Type", "application/json; charset=UTF-8"},
                     {"X-Upload-Content-Type", "application/octet-stream"},
                     {"X-Upload-Content-Length", std::to_string(size_bytes)}};
  request.body = std::make_shared<http::BytesBody>(resource_.ToJson());
  // A session that nobody uses is no harm.
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, std::move(stop)));
  Standing standing;
  standing.refused = response.status == 412;
  if (standing.refused) return standing;
  if (response.status / 100 != 2) return Failure(ErrorOf(request, response));
  session_ = response.headers.Get("location").value_or("");
  inherited_ = false;
  if (session_.empty()) {
    return Fail(ErrorCode::kDataLoss,
                "POST " + http::RedactedUrl(address_).Text() + ": the answer names no session");
  }
  if (on_begin_) on_begin_(session_);
  return standing;
}

Result<ResumableUpload::Standing> ResumableUpload::Read(const http::Request& request,
                                                        const http::Response& response) const {
  Standing standing;
  if (http::IsRetryable(response)) {
    standing.passing = ErrorOf(request, response);
    standing.retry_after = http::RetryAfter(response);
    return standing;
  }
  standing.refused = response.status == 412;
  standing.gone = response.status == 404 || response.status == 410 ||
                  (inherited_ && response.status / 100 == 4 && !standing.refused);
  if (standing.refused || standing.gone) return standing;
  if (response.status == 308) {
    standing.stored_bytes = StoredBytes(response);
    return standing;
  }
  KINETIC_ASSIGN_OR_RETURN(standing.finished, ObjectUnless(0, request, response));
  return standing;
}

Result<ResumableUpload::Standing> ResumableUpload::Put(const http::Request& request,
                                                       std::stop_token stop) const {
  const auto response = sender_.Once(request, std::move(stop));
  if (response) return Read(request, *response);
  if (!http::IsRetryable(response.error(), http::Idempotency::kIdempotent)) {
    return Failure(response.error());
  }
  Standing standing;
  standing.passing = response.error();
  return standing;
}

Result<ResumableUpload::Standing> ResumableUpload::SendRest(const std::shared_ptr<http::Body>& body,
                                                            std::uint64_t offset,
                                                            std::stop_token stop) {
  const std::uint64_t size = body->size_bytes();
  const std::uint64_t last = size == 0 ? 0 : (size - 1) / kUploadQuantumBytes * kUploadQuantumBytes;
  const auto slice = std::make_shared<SliceBody>(body, offset, std::max(offset, last));
  if (offset < last) {
    http::Request request = ToSession(session_, RangeText(offset, last, size));
    request.body = slice;
    KINETIC_ASSIGN_OR_RETURN(Standing standing, Put(request, stop));
    if (standing.passing || standing.stored_bytes != last) return standing;
  } else {
    KINETIC_RETURN_IF_ERROR(slice->Rewind());
  }
  return SendLast(*body, std::max(offset, last), slice->checksum(), std::move(stop));
}

Result<ResumableUpload::Standing> ResumableUpload::SendLast(http::Body& body, std::uint64_t offset,
                                                            Crc32c checksum, std::stop_token stop) {
  const std::uint64_t size = body.size_bytes();
  KINETIC_ASSIGN_OR_RETURN(std::string bytes, ReadNext(body, size - offset));
  checksum.Update(bytes);
  http::Request request = ToSession(
      session_, size == offset ? "bytes */" + std::to_string(size) : RangeText(offset, size, size));
  request.headers.Add("X-Goog-Hash", "crc32c=" + checksum.Base64());
  request.body = std::make_shared<http::BytesBody>(std::move(bytes));
  checksum_ = checksum;
  auto standing = Put(request, std::move(stop));
  const bool damaged = !standing && standing.error().code == ErrorCode::kInvalidArgument;
  if (!damaged) return standing;
  return Fail(ErrorCode::kDataLoss, "sending " + std::to_string(size) + " bytes with the CRC32C " +
                                        checksum.Base64() +
                                        ": the server refuses them: " + standing.error().message);
}

Result<ResumableUpload::Standing> ResumableUpload::Ask(std::uint64_t size_bytes,
                                                       std::stop_token stop) {
  return Put(ToSession(session_, "bytes */" + std::to_string(size_bytes)), std::move(stop));
}

Result<ResumableUpload::Standing> ResumableUpload::Attempt(const std::shared_ptr<http::Body>& body,
                                                           http::Backoff& backoff,
                                                           std::stop_token stop) {
  checksum_.reset();
  if (session_.empty()) {
    KINETIC_ASSIGN_OR_RETURN(Standing standing, Begin(body->size_bytes(), stop));
    if (standing.refused) return standing;
    return SendRest(body, 0, std::move(stop));
  }
  KINETIC_ASSIGN_OR_RETURN(Standing standing, Ask(body->size_bytes(), stop));
  if (standing.finished || standing.gone || standing.refused || standing.passing) return standing;
  if (standing.stored_bytes < stored_bytes_) {
    return Fail(ErrorCode::kDataLoss, "an upload session has lost bytes that it had stored");
  }
  if (standing.stored_bytes > stored_bytes_) backoff.Reset();
  stored_bytes_ = standing.stored_bytes;
  return SendRest(body, standing.stored_bytes, std::move(stop));
}

Error ResumableUpload::Incomplete(const Standing& standing) const {
  if (standing.passing) return *standing.passing;
  return {ErrorCode::kUnavailable,
          "storing in " + http::RedactedUrl(address_).Text() +
              (standing.gone ? ": the upload session is gone" : ": the server stored a part only"),
          "",
          {}};
}

Result<ResumableUpload::Sent> ResumableUpload::Send(const std::shared_ptr<http::Body>& body,
                                                    std::stop_token stop) {
  http::Backoff backoff = sender_.NewBackoff();
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(Standing standing, Attempt(body, backoff, stop));
    if (standing.finished || standing.refused) {
      return Sent{std::move(standing.finished), checksum_};
    }
    if (standing.gone) {
      session_.clear();
      stored_bytes_ = 0;
    }
    KINETIC_RETURN_IF_ERROR(backoff.Wait(Incomplete(standing), standing.retry_after, stop));
  }
}

}  // namespace kinetic::gcs
