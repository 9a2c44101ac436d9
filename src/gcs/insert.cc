#include "base/random.h"
#include "base/try.h"
#include "gcs/answers.h"
#include "gcs/checked_body.h"
#include "gcs/client.h"
#include "gcs/error.h"
#include "gcs/resumable_upload.h"

namespace kinetic::gcs {
namespace {

/// Larger ones go in a session that can be gone on with.
constexpr std::uint64_t kSmallBytes = 8U << 20;

}  // namespace

Result<http::Request> Client::SmallInsert(const std::string& name,
                                          const std::shared_ptr<http::Body>& body,
                                          const InsertOptions& options) const {
  KINETIC_ASSIGN_OR_RETURN(const Crc32c checksum, ChecksumOf(*body));
  Value resource = ResourceOf(name, options);
  resource.Set("crc32c", checksum.Base64());
  const std::string boundary = "kinetic-" + RandomId();
  const std::string before = "--" + boundary +
                             "\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n" +
                             resource.ToJson() + "\r\n--" + boundary +
                             "\r\nContent-Type: application/octet-stream\r\n\r\n";
  http::Request request;
  request.method = "POST";
  request.url = UploadAddress("multipart", name, options).Text();
  request.headers = {{"Content-Type", "multipart/related; boundary=\"" + boundary + "\""}};
  request.body = std::make_shared<FramedBody>(before, body, "\r\n--" + boundary + "--\r\n");
  return request;
}

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

Result<std::optional<Object>> Client::Insert(const std::string& name,
                                             const std::shared_ptr<http::Body>& body,
                                             const InsertOptions& options,
                                             std::stop_token stop) const {
  InsertOptions marked = options;
  const std::string mark = RandomId();
  marked.metadata[std::string(kMarkKey)] = mark;
  Result<std::optional<Object>> stored;
  if (body->size_bytes() <= kSmallBytes) {
    KINETIC_ASSIGN_OR_RETURN(const http::Request request, SmallInsert(name, body, marked));
    KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                             Send(request, http::Idempotency::kSafe, stop));
    stored = ObjectUnless(412, request, response);
  } else {
    ResumableUpload upload(*transport_, *clock_, options_.retry,
                           UploadAddress("resumable", name, marked).Text(),
                           ResourceOf(name, marked));
    stored = upload.Send(body, stop);
  }
  if (!stored || *stored) return stored;
  // The answer to an earlier attempt may have been lost: then what is there carries our mark.
  KINETIC_ASSIGN_OR_RETURN(auto there, Stat(name, std::move(stop)));
  if (!there) return there;
  const auto found = there->metadata.find(std::string(kMarkKey));
  if (found == there->metadata.end() || found->second != mark) return std::optional<Object>();
  return there;
}

}  // namespace kinetic::gcs
