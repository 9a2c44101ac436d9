#include "gcs/upload/resumable.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "gcs/protocol.h"
#include "gcs/upload/checked_body.h"
#include "http/url.h"

namespace kinetic::gcs {
namespace {

/// Returns the size stored according to "Range: bytes=0-N"; 0 without the header.
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

/// The session URL receives the content and the credential.
Error ForeignSessionError(const std::string& url, const std::string& session) {
  return {
      ErrorCode::kPermissionDenied,
      "POST " + http::RedactedUrl(url).Text() +
          ": the server redirects the upload to another host: " + http::RedactedUrl(session).Text(),
      "check the storage endpoint and the proxy: neither the content nor the credential was sent",
      {}};
}

/// "bytes 0-9/20"
std::string RangeText(std::uint64_t begin, std::uint64_t end, std::uint64_t size) {
  return "bytes " + std::to_string(begin) + "-" + std::to_string(end - 1) + "/" +
         std::to_string(size);
}

}  // namespace

Result<ResumableUpload::State> ResumableUpload::StartSession(std::uint64_t size_bytes,
                                                             std::stop_token stop) {
  http::Request request;
  request.method = "POST";
  request.url = url_;
  request.headers = {{"Content-Type", "application/json; charset=UTF-8"},
                     {"X-Upload-Content-Type", "application/octet-stream"},
                     {"X-Upload-Content-Length", std::to_string(size_bytes)}};
  request.body = std::make_shared<http::BytesBody>(resource_.ToJson());
  // An unused session is harmless.
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, std::move(stop)));
  State state;
  state.precondition_failed = IsConditionNotMet(response);
  if (state.precondition_failed) return state;
  if (response.status / 100 != 2) return Failure(ErrorFromResponse(request, response));
  const std::string session(response.headers.Get("location").value_or(""));
  if (session.empty()) {
    return Fail(ErrorCode::kDataLoss,
                "POST " + http::RedactedUrl(url_).Text() + ": the response has no session URL");
  }
  if (!http::MayReceiveCredential(sender_.endpoint(), session)) {
    return Failure(ForeignSessionError(url_, session));
  }
  session_ = session;
  resumed_ = false;
  if (on_session_) on_session_(session_);
  return state;
}

void ResumableUpload::Resume(std::string session) {
  if (!http::MayReceiveCredential(sender_.endpoint(), session)) return;
  session_ = std::move(session);
  resumed_ = true;
}

Result<ResumableUpload::State> ResumableUpload::ReadState(const http::Request& request,
                                                          const http::Response& response) const {
  State state;
  if (http::IsRetryable(response)) {
    state.transient_error = ErrorFromResponse(request, response);
    state.retry_after = http::RetryAfter(response);
    return state;
  }
  state.precondition_failed = IsConditionNotMet(response);
  state.expired = response.status == 404 || response.status == 410 ||
                  (resumed_ && response.status / 100 == 4 && !state.precondition_failed);
  if (state.precondition_failed || state.expired) return state;
  if (response.status == 308) {
    state.stored_bytes = StoredBytes(response);
    return state;
  }
  KINETIC_ASSIGN_OR_RETURN(state.object, ReadObject(0, request, response));
  return state;
}

Result<ResumableUpload::State> ResumableUpload::SendOnce(const http::Request& request,
                                                         std::stop_token stop) const {
  const auto response = sender_.SendOnce(request, std::move(stop));
  if (response) return ReadState(request, *response);
  if (!http::IsRetryable(response.error(), http::Idempotency::kIdempotent)) {
    return Failure(response.error());
  }
  State state;
  state.transient_error = response.error();
  return state;
}

Result<ResumableUpload::State> ResumableUpload::SendRest(const std::shared_ptr<http::Body>& body,
                                                         std::uint64_t offset,
                                                         std::stop_token stop) {
  const std::uint64_t size = body->size_bytes();
  const std::uint64_t last =
      size == 0 ? 0 : (size - 1) / kUploadGranularityBytes * kUploadGranularityBytes;
  const auto slice = std::make_shared<SliceBody>(body, offset, std::max(offset, last));
  if (offset < last) {
    http::Request request = ToSession(session_, RangeText(offset, last, size));
    request.body = slice;
    KINETIC_ASSIGN_OR_RETURN(State state, SendOnce(request, stop));
    if (state.transient_error || state.stored_bytes != last) return state;
  } else {
    KINETIC_RETURN_IF_ERROR(slice->Rewind());
  }
  return SendLast(*body, std::max(offset, last), slice->checksum(), std::move(stop));
}

Result<ResumableUpload::State> ResumableUpload::SendLast(http::Body& body, std::uint64_t offset,
                                                         Crc32c checksum, std::stop_token stop) {
  const std::uint64_t size = body.size_bytes();
  KINETIC_ASSIGN_OR_RETURN(std::string bytes, ReadExactly(body, size - offset));
  checksum.Update(bytes);
  http::Request request = ToSession(
      session_, size == offset ? "bytes */" + std::to_string(size) : RangeText(offset, size, size));
  request.headers.Add("X-Goog-Hash", "crc32c=" + checksum.Base64());
  request.body = std::make_shared<http::BytesBody>(std::move(bytes));
  checksum_ = checksum;
  auto state = SendOnce(request, std::move(stop));
  const bool damaged = !state && state.error().code == ErrorCode::kInvalidArgument;
  if (!damaged) return state;
  return Fail(ErrorCode::kDataLoss, "sending " + std::to_string(size) + " bytes with the CRC32C " +
                                        checksum.Base64() +
                                        ": the server rejected them: " + state.error().message);
}

Result<ResumableUpload::State> ResumableUpload::QueryState(std::uint64_t size_bytes,
                                                           std::stop_token stop) {
  return SendOnce(ToSession(session_, "bytes */" + std::to_string(size_bytes)), std::move(stop));
}

Result<ResumableUpload::State> ResumableUpload::Attempt(const std::shared_ptr<http::Body>& body,
                                                        http::Backoff& backoff,
                                                        std::stop_token stop) {
  checksum_.reset();
  if (session_.empty()) {
    KINETIC_ASSIGN_OR_RETURN(State state, StartSession(body->size_bytes(), stop));
    if (state.precondition_failed) return state;
    return SendRest(body, 0, std::move(stop));
  }
  KINETIC_ASSIGN_OR_RETURN(State state, QueryState(body->size_bytes(), stop));
  if (state.object || state.expired || state.precondition_failed || state.transient_error)
    return state;
  if (state.stored_bytes < stored_bytes_) {
    return Fail(ErrorCode::kDataLoss, "the server lost stored bytes of an upload session");
  }
  if (state.stored_bytes > stored_bytes_) backoff.Reset();
  stored_bytes_ = state.stored_bytes;
  return SendRest(body, state.stored_bytes, std::move(stop));
}

Error ResumableUpload::IncompleteError(const State& state) const {
  if (state.transient_error) return *state.transient_error;
  return {ErrorCode::kUnavailable,
          "storing in " + http::RedactedUrl(url_).Text() +
              (state.expired ? ": the upload session expired" : ": the server stored only a part"),
          "",
          {}};
}

Result<ResumableUpload::Outcome> ResumableUpload::Send(const std::shared_ptr<http::Body>& body,
                                                       std::stop_token stop) {
  http::Backoff backoff = sender_.NewBackoff();
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(State state, Attempt(body, backoff, stop));
    if (state.object || state.precondition_failed) {
      return Outcome{std::move(state.object), checksum_};
    }
    if (state.expired) {
      session_.clear();
      stored_bytes_ = 0;
    }
    KINETIC_RETURN_IF_ERROR(backoff.Wait(IncompleteError(state), state.retry_after, stop));
  }
}

}  // namespace kinetic::gcs
