#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/random.h"
#include "base/time/clock.h"
#include "gcs/client.h"
#include "gcs/protocol.h"
#include "gcs/upload/checked_body.h"
#include "gcs/upload/resumable.h"

#include <chrono>

namespace kinetic::gcs {
namespace {

/// Larger objects use a resumable session.
constexpr std::uint64_t kMaxSmallBytes = 8U << 20;

constexpr std::chrono::milliseconds kTimeResolution{1};

constexpr int kMaxInsertAttempts = 3;

http::Request MultipartRequest(std::string url, const Value& resource,
                               const std::shared_ptr<http::Body>& body) {
  const std::string boundary = "kinetic-" + RandomId();
  const std::string before = "--" + boundary +
                             "\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n" +
                             resource.ToJson() + "\r\n--" + boundary +
                             "\r\nContent-Type: application/octet-stream\r\n\r\n";
  http::Request request;
  request.method = "POST";
  request.url = std::move(url);
  request.headers = {{"Content-Type", "multipart/related; boundary=\"" + boundary + "\""}};
  request.body = std::make_shared<FramedBody>(before, body, "\r\n--" + boundary + "--\r\n");
  return request;
}

Error DamagedError(const std::string& name, const std::string& why) {
  return {ErrorCode::kDataLoss,
          "storing " + name + ": " + why,
          "retry; if it happens again, this machine or the network corrupts data",
          {}};
}

/// Returns whether the content was damaged in transit. A server that cannot parse a damaged
/// multipart request reports an invalid argument.
bool IsDamage(const Error& error, bool framed) {
  return error.code == ErrorCode::kDataLoss ||
         (framed && error.code == ErrorCode::kInvalidArgument);
}

/// Returns whether the upload cannot be resumed.
bool IsFinal(const Error& error) {
  return error.code == ErrorCode::kDataLoss || error.code == ErrorCode::kAborted;
}

/// Identifies content, destination and preconditions of an upload. Ignores the custom time, which
/// differs between attempts.
std::string SessionKey(const std::string& url, const InsertOptions& options, std::uint64_t size) {
  InsertOptions stable = options;
  stable.custom_time.reset();
  Value key{Value::Map{}};
  key.Set("address", url);
  key.Set("resource", ObjectResource({}, stable));
  key.Set("size", std::to_string(size));
  key.Set("source", options.source);
  return Sha256::Of(key.ToJson()).Hex();
}

}  // namespace

http::Url Client::UploadUrl(std::string_view kind, const std::string& name,
                            const InsertOptions& options) const {
  http::Url url = ObjectsUrl("/upload");
  url.Query("uploadType", kind).Query("name", name).Query("fields", kObjectFields);
  if (options.if_generation) {
    url.Query("ifGenerationMatch", std::to_string(*options.if_generation));
  }
  if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
  return url;
}

Result<std::optional<Object>> Client::InsertSmall(const std::string& name,
                                                  const std::shared_ptr<http::Body>& body,
                                                  const InsertOptions& options,
                                                  std::stop_token stop) const {
  InsertOptions marked = options;
  const std::string mark = RandomId();
  marked.metadata[std::string(kMarkKey)] = mark;
  Value resource = ObjectResource(name, marked);
  KINETIC_ASSIGN_OR_RETURN(const Crc32c checksum, ComputeChecksum(*body));
  resource.Set("crc32c", checksum.Base64());
  const http::Request request =
      MultipartRequest(UploadUrl("multipart", name, options).Text(), resource, body);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, stop));
  if (IsChecksumMismatch(response)) {
    return Failure(DamagedError(name, ErrorFromResponse(request, response).message));
  }
  if (IsConditionNotMet(response)) {
    if (options.any_creator) return std::optional<Object>();
    return StatIfMarked(name, mark, std::move(stop));
  }
  return ReadObject(0, request, response);
}

std::unique_ptr<UploadSession> Client::OpenSession(const std::string& url,
                                                   const InsertOptions& options,
                                                   std::uint64_t size_bytes) const {
  if (options_.sessions == nullptr || options.source.empty()) return nullptr;
  // Without a session store, the upload cannot be resumed.
  auto session = options_.sessions->Open(SessionKey(url, options, size_bytes));
  return session ? *std::move(session) : nullptr;
}

Result<std::optional<Object>> Client::InsertLarge(const std::string& name,
                                                  const std::shared_ptr<http::Body>& body,
                                                  const InsertOptions& options,
                                                  std::stop_token stop) const {
  const std::string url = UploadUrl("resumable", name, options).Text();
  const auto session = OpenSession(url, options, body->size_bytes());
  const auto saved = session ? session->saved() : std::nullopt;
  const std::string mark = saved ? saved->mark : RandomId();
  InsertOptions marked = options;
  marked.metadata[std::string(kMarkKey)] = mark;
  ResumableUpload upload(sender_, url, ObjectResource(name, marked),
                         [&](const std::string& session_url) {
                           if (session) (void)session->Save({session_url, mark});
                         });
  if (saved) upload.Resume(saved->url);
  auto sent = upload.Send(body, stop);
  if (session && (sent || IsFinal(sent.error()))) (void)session->Remove();
  if (!sent) return Failure(std::move(sent).error());
  if (!sent->object) return StatIfMarked(name, mark, std::move(stop));
  return VerifyInserted(*std::move(sent->object), body, sent->checksum, std::move(stop));
}

Result<std::optional<Object>> Client::VerifyInserted(Object object,
                                                     const std::shared_ptr<http::Body>& body,
                                                     std::optional<Crc32c> sent,
                                                     std::stop_token stop) const {
  if (object.crc32c.empty()) return std::optional<Object>(std::move(object));
  if (!sent) {
    KINETIC_ASSIGN_OR_RETURN(sent, ComputeChecksum(*body));
  }
  if (sent->Base64() == object.crc32c) return std::optional<Object>(std::move(object));
  KINETIC_RETURN_IF_ERROR(Delete(object.name, {object.generation, {}}, std::move(stop)));
  return Failure(DamagedError(object.name, "the server's CRC32C is " + object.crc32c +
                                               ", the content has " + sent->Base64()));
}

Result<std::optional<Object>> Client::Insert(const std::string& name,
                                             const std::shared_ptr<http::Body>& body,
                                             const InsertOptions& options,
                                             std::stop_token stop) const {
  const bool small = body->size_bytes() <= kMaxSmallBytes;
  for (int attempt = 1;; ++attempt) {
    auto stored =
        small ? InsertSmall(name, body, options, stop) : InsertLarge(name, body, options, stop);
    if (!stored && IsDamage(stored.error(), small) && attempt < kMaxInsertAttempts) continue;
    if (!stored || !*stored || !options.custom_time) return stored;
    // The session may have started long ago with an older time. Servers store milliseconds.
    const WallTime stored_time = (*stored)->custom_time.value_or(WallTime());
    if (stored_time + kTimeResolution > *options.custom_time) return stored;
    Value changes{Value::Map{}};
    changes.Set("customTime", FormatTime(*options.custom_time));
    return Patch(name, changes, {(*stored)->generation, {}}, std::move(stop));
  }
}

}  // namespace kinetic::gcs
