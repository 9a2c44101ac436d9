#include "base/hash/digest.h"
#include "base/random.h"
#include "base/time/timestamp.h"
#include "base/try.h"
#include "gcs/client.h"
#include "gcs/protocol.h"
#include "gcs/upload/checked_body.h"
#include "gcs/upload/resumable.h"

#include <chrono>

namespace kinetic::gcs {
namespace {

/// Larger ones go in a session that can be gone on with.
constexpr std::uint64_t kSmallBytes = 8U << 20;

constexpr std::chrono::milliseconds kTimeResolution{1};

/// How often bytes that were damaged on their way are sent in all.
constexpr int kTimes = 3;

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

Error Damaged(const std::string& name, const std::string& why) {
  return {ErrorCode::kDataLoss,
          "storing " + name + ": " + why,
          "send it again; if it happens again, this machine or the network alters bytes",
          {}};
}

/// Whether bytes were damaged on their way. Of content the server says so; what frames it in one
/// request can then not be read.
bool IsDamage(const Error& error, bool framed) {
  return error.code == ErrorCode::kDataLoss ||
         (framed && error.code == ErrorCode::kInvalidArgument);
}

/// Whether what was sent so far is of no use to another try.
bool IsOver(const Error& error) {
  return error.code == ErrorCode::kDataLoss || error.code == ErrorCode::kAborted;
}

/// Names an upload: the same bytes to the same place on the same condition. The custom time is no
/// part of it: it is another at each try.
std::string KeyOf(const std::string& address, const InsertOptions& options, std::uint64_t size) {
  InsertOptions lasting = options;
  lasting.custom_time.reset();
  Value key{Value::Map{}};
  key.Set("address", address);
  key.Set("resource", ResourceOf({}, lasting));
  key.Set("size", std::to_string(size));
  key.Set("source", options.source);
  return Sha256::Of(key.ToJson()).Hex();
}

}  // namespace

http::Url Client::UploadAddress(std::string_view kind, const std::string& name,
                                const InsertOptions& options) const {
  http::Url url = Address("/upload");
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
  Value resource = ResourceOf(name, marked);
  KINETIC_ASSIGN_OR_RETURN(const Crc32c checksum, ChecksumOf(*body));
  resource.Set("crc32c", checksum.Base64());
  const http::Request request =
      MultipartRequest(UploadAddress("multipart", name, options).Text(), resource, body);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, stop));
  if (ContentIsDamaged(response)) {
    return Failure(Damaged(name, ErrorOf(request, response).message));
  }
  if (response.status == 412) return IfMarked(name, mark, std::move(stop));
  return ObjectUnless(0, request, response);
}

std::unique_ptr<SessionPlace> Client::PlaceOf(const std::string& address,
                                              const InsertOptions& options,
                                              std::uint64_t size_bytes) const {
  if (options_.sessions == nullptr || options.source.empty()) return nullptr;
  // Without a keeper that works the upload begins anew, and nothing else is lost.
  auto place = options_.sessions->Take(KeyOf(address, options, size_bytes));
  return place ? *std::move(place) : nullptr;
}

Result<std::optional<Object>> Client::InsertLarge(const std::string& name,
                                                  const std::shared_ptr<http::Body>& body,
                                                  const InsertOptions& options,
                                                  std::stop_token stop) const {
  const std::string address = UploadAddress("resumable", name, options).Text();
  const auto place = PlaceOf(address, options, body->size_bytes());
  const auto kept = place ? place->kept() : std::nullopt;
  const std::string mark = kept ? kept->mark : RandomId();
  InsertOptions marked = options;
  marked.metadata[std::string(kMarkKey)] = mark;
  ResumableUpload upload(sender_, address, ResourceOf(name, marked),
                         [&](const std::string& session) {
                           if (place) (void)place->Save({session, mark});
                         });
  if (kept) upload.GoOnWith(kept->address);
  auto sent = upload.Send(body, stop);
  if (place && (sent || IsOver(sent.error()))) (void)place->Forget();
  if (!sent) return Failure(std::move(sent).error());
  if (!sent->object) return IfMarked(name, mark, std::move(stop));
  return Checked(*std::move(sent->object), body, sent->checksum, std::move(stop));
}

Result<std::optional<Object>> Client::Checked(Object object,
                                              const std::shared_ptr<http::Body>& body,
                                              std::optional<Crc32c> sent,
                                              std::stop_token stop) const {
  if (object.crc32c.empty()) return std::optional<Object>(std::move(object));
  if (!sent) {
    KINETIC_ASSIGN_OR_RETURN(sent, ChecksumOf(*body));
  }
  if (sent->Base64() == object.crc32c) return std::optional<Object>(std::move(object));
  KINETIC_RETURN_IF_ERROR(Delete(object.name, {object.generation, {}}, std::move(stop)));
  return Failure(Damaged(object.name, "the server's CRC32C is " + object.crc32c +
                                          ", and what was sent has " + sent->Base64()));
}

Result<std::optional<Object>> Client::Insert(const std::string& name,
                                             const std::shared_ptr<http::Body>& body,
                                             const InsertOptions& options,
                                             std::stop_token stop) const {
  const bool small = body->size_bytes() <= kSmallBytes;
  for (int times = 1;; ++times) {
    auto stored =
        small ? InsertSmall(name, body, options, stop) : InsertLarge(name, body, options, stop);
    if (!stored && IsDamage(stored.error(), small) && times < kTimes) continue;
    if (!stored || !*stored || !options.custom_time) return stored;
    // A session may have been begun long ago; servers keep no more than milliseconds.
    const WallTime there = (*stored)->custom_time.value_or(WallTime());
    if (there + kTimeResolution > *options.custom_time) return stored;
    Value changes{Value::Map{}};
    changes.Set("customTime", FormatTime(*options.custom_time));
    return Patch(name, changes, {(*stored)->generation, {}}, std::move(stop));
  }
}

}  // namespace kinetic::gcs
