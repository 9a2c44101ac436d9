#include "base/strings.h"
#include "support/gcs_server/crc32c.h"
#include "support/gcs_server/errors.h"
#include "support/gcs_server/handlers.h"

namespace kinetic::gcs_server {
namespace {

struct ByteRange {
  std::uint64_t offset;
  std::uint64_t size_bytes;
};

/// Parses a Range header for `size` bytes. Invalid headers are ignored according to RFC 9110 14.2,
/// as are multiple ranges. @errors 416
Outcome<std::optional<ByteRange>> RangeOf(const std::string& header, std::uint64_t size) {
  const std::string_view text = header;
  if (!text.starts_with("bytes=")) return std::nullopt;
  const auto ends = Split(text.substr(6), '-');
  if (ends.size() != 2) return std::nullopt;
  const auto first = ParseInt(ends[0]);
  const auto last = ParseInt(ends[1]);
  if ((!first && !ends[0].empty()) || (!last && !ends[1].empty())) return std::nullopt;
  if (!first && !last) return std::nullopt;
  if (first && last && *last < *first) return std::nullopt;
  const auto begin = first ? static_cast<std::uint64_t>(*first)
                           : size - std::min(size, static_cast<std::uint64_t>(*last));
  if (begin >= size || (!first && *last == 0)) {
    Reply reply = ErrorReply(416, "requestedRangeNotSatisfiable", "Request range not satisfiable");
    reply.headers.Add("Content-Range", "bytes */" + std::to_string(size));
    return Refuse(reply);
  }
  const std::uint64_t end =
      first && last ? std::min(size, static_cast<std::uint64_t>(*last) + 1) : size;
  return ByteRange{begin, end - begin};
}

bool AcceptsGzip(const Request& request) {
  return ToLower(request.headers.Joined("Accept-Encoding")).find("gzip") != std::string::npos;
}

bool IsUnpacked(const Object& object, const Request& request) {
  return object.attributes.value("contentEncoding", "") == "gzip" && !AcceptsGzip(request) &&
         object.attributes.value("cacheControl", "").find("no-transform") == std::string::npos;
}

void AddHeaders(const Object& object, bool unpacked, http::Headers& headers) {
  const auto& attributes = object.attributes;
  const std::string encoding = attributes.value("contentEncoding", "");
  headers.Add("Content-Type", attributes.value("contentType", "application/octet-stream"));
  headers.Add("ETag", EtagOf(object));
  headers.Add("Last-Modified", HttpDate(object.created));
  headers.Add("X-Goog-Generation", std::to_string(object.generation));
  headers.Add("X-Goog-Metageneration", std::to_string(object.metageneration));
  headers.Add("X-Goog-Storage-Class", attributes.value("storageClass", "STANDARD"));
  headers.Add("X-Goog-Stored-Content-Encoding", encoding.empty() ? "identity" : encoding);
  headers.Add("X-Goog-Stored-Content-Length", std::to_string(object.content.size_bytes()));
  headers.Add("X-Goog-Hash", "crc32c=" + Crc32cText(object.crc32c));
  if (object.md5) headers.Add("X-Goog-Hash", "md5=" + *object.md5);
  if (!encoding.empty() && !unpacked) headers.Add("Content-Encoding", encoding);
  if (unpacked) headers.Add("Warning", "214 UploadServer gunzipped");
  for (const auto& [key, header] : {std::pair{"cacheControl", "Cache-Control"},
                                    {"contentDisposition", "Content-Disposition"},
                                    {"contentLanguage", "Content-Language"}}) {
    if (attributes.contains(key)) headers.Add(header, attributes.value(key, ""));
  }
}

Reply DownloadOf(const Object& object, const Request& request) {
  Reply reply;
  const std::uint64_t size = object.content.size_bytes();
  const bool unpacked = IsUnpacked(object, request);
  reply.content = ContentBody{object.content, 0, size, unpacked};
  AddHeaders(object, unpacked, reply.headers);
  if (unpacked) return reply;
  const auto range = RangeOf(request.Header("Range"), size);
  if (!range) return AsPlainText(range.error());
  if (!*range) return reply;
  const auto [offset, count] = **range;
  reply.status = 206;
  reply.content->offset = offset;
  reply.content->size_bytes = count;
  reply.headers.Add("Content-Range", "bytes " + std::to_string(offset) + "-" +
                                         std::to_string(offset + count - 1) + "/" +
                                         std::to_string(size));
  return reply;
}

}  // namespace

Reply Download(Call& call, const std::string& bucket, const std::string& name) {
  if (auto may = call.grant.Require("storage.objects.get", bucket + "/" + name); !may) {
    return AsPlainText(may.error());
  }
  const auto generation = call.request.Number("generation");
  if (!generation) return AsPlainText(generation.error());
  const auto conditions = Preconditions::Of(call.request);
  if (!conditions) return AsPlainText(conditions.error());
  const auto object = call.state.storage.Find(bucket, name, *generation);
  if (!object) return AsPlainText(object.error());
  if (auto checked = conditions->CheckRead(**object); !checked) {
    return checked.error().status == 304 ? checked.error() : AsPlainText(checked.error());
  }
  return DownloadOf(**object, call.request);
}

}  // namespace kinetic::gcs_server
