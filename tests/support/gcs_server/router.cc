#include "support/gcs_server/errors.h"
#include "support/gcs_server/handlers.h"

#include <span>

namespace kinetic::gcs_server {
namespace {

using Path = std::span<const std::string>;

/// Returns whether `path` begins with the words of `start`, separated by '/'.
bool BeginsWith(Path path, std::initializer_list<std::string_view> start) {
  std::size_t at = 0;
  for (const std::string_view word : start) {
    if (at == path.size() || path[at++] != word) return false;
  }
  return true;
}

Reply NoSuchMethod(const Request& request) {
  return NotFound("Not Found: " + request.method + " " + request.target);
}

Reply OnObject(Call& call, Path path) {
  const std::string& method = call.request.method;
  const std::string& bucket = path[1];
  const std::string& name = path[3];
  if (name.empty()) return ErrorReply(400, "required", "Required parameter: object");
  if (method == "GET" && call.request.Query("alt") == "media") return Download(call, bucket, name);
  if (method == "GET") return GetObject(call, bucket, name);
  if (method == "PATCH") return PatchObject(call, bucket, name);
  if (method == "PUT") return UpdateObject(call, bucket, name);
  if (method == "DELETE") return DeleteObject(call, bucket, name);
  return NoSuchMethod(call.request);
}

Reply OnBucket(Call& call, const std::string& bucket) {
  const std::string& method = call.request.method;
  if (method == "GET") return GetBucket(call, bucket);
  if (method == "PATCH") return PatchBucket(call, bucket, false);
  if (method == "PUT") return PatchBucket(call, bucket, true);
  if (method == "DELETE") return DeleteBucket(call, bucket);
  return NoSuchMethod(call.request);
}

Reply OnPolicy(Call& call, Path path) {
  if (path.size() == 4 && path[3] == "testPermissions") return TestPermissions(call, path[1]);
  if (path.size() == 3 && call.request.method == "GET") return GetPolicy(call, path[1]);
  if (path.size() == 3 && call.request.method == "PUT") return SetPolicy(call, path[1]);
  return NoSuchMethod(call.request);
}

/// b/{bucket}/o/{object}/rewriteTo/b/{bucket}/o/{object}
bool IsCopy(Path path, std::string_view word) {
  return path.size() == 9 && path[4] == word && path[5] == "b" && path[7] == "o";
}

/// Dispatches paths below /storage/v1.
Reply OnResource(Call& call, Path path) {
  const bool post = call.request.method == "POST";
  if (path.empty() || path[0] != "b") return NoSuchMethod(call.request);
  if (path.size() == 1) return post ? CreateBucket(call) : ListBuckets(call);
  if (path.size() == 2) return OnBucket(call, path[1]);
  if (path.size() == 3 && path[2] == "storageLayout") return GetStorageLayout(call, path[1]);
  if (path[2] == "iam") return OnPolicy(call, path);
  if (path[2] != "o") return NoSuchMethod(call.request);
  if (path.size() == 3 && call.request.method == "GET") return ListObjects(call, path[1]);
  if (path.size() == 4) return OnObject(call, path);
  if (path.size() == 5 && post && path[4] == "compose") return Compose(call, path[1], path[3]);
  if (post && IsCopy(path, "rewriteTo")) return Rewrite(call, {path[1], path[3], path[6], path[8]});
  if (post && IsCopy(path, "copyTo")) return Copy(call, {path[1], path[3], path[6], path[8]});
  return NoSuchMethod(call.request);
}

/// Dispatches paths below /upload/storage/v1. A session's URL implies the permission to write.
Reply OnUpload(Call& call, Path path) {
  const bool is_place = path.size() == 3 && path[0] == "b" && path[2] == "o";
  if (!is_place) return NoSuchMethod(call.request);
  const bool is_session = call.request.Query("upload_id").has_value();
  if (is_session && call.request.method == "DELETE") return CancelSession(call);
  if (is_session) return ContinueSession(call, path[1]);
  if (call.request.method == "POST") return Upload(call, path[1]);
  return NoSuchMethod(call.request);
}

Reply Dispatch(Call& call) {
  const Path path = call.request.segments;
  if (BeginsWith(path, {"storage", "v1"})) return OnResource(call, path.subspan(2));
  if (BeginsWith(path, {"upload", "storage", "v1"})) return OnUpload(call, path.subspan(3));
  if (BeginsWith(path, {"resumable", "upload", "storage", "v1"})) {
    return OnUpload(call, path.subspan(4));
  }
  if (BeginsWith(path, {"download", "storage", "v1"})) {
    const Path rest = path.subspan(3);
    if (rest.size() == 4 && rest[0] == "b" && rest[2] == "o") return OnObject(call, rest);
  }
  if (BeginsWith(path, {"batch"}) && call.request.method == "POST") return Batch(call);
  return NoSuchMethod(call.request);
}

}  // namespace

Reply Handle(ServerState& state, const Request& request, BodySource& body) {
  const bool is_session = BeginsWith(request.segments, {"upload"}) && request.Query("upload_id");
  const auto grant = is_session ? Outcome<Grant>() : state.access.Identify(request);
  if (!grant) return request.Query("alt") == "media" ? AsPlainText(grant.error()) : grant.error();
  Call call{request, body, *grant, state};
  return Dispatch(call);
}

}  // namespace kinetic::gcs_server
