#include "base/strings.h"
#include "http/url.h"
#include "support/gcs_server/content_range.h"
#include "support/gcs_server/errors.h"
#include "support/gcs_server/handlers.h"
#include "support/gcs_server/upload.h"

namespace kinetic::gcs_server {
namespace {

constexpr std::uint64_t kQuantumBytes = 256U << 10;
constexpr std::size_t kResumablePieceBytes = 4 * kQuantumBytes;

/// Returns 308 with the stored range. Some clients request it as a 200.
Reply Incomplete(const Request& request, std::uint64_t stored_bytes) {
  Reply reply = EmptyReply(308);
  if (stored_bytes > 0) {
    reply.headers.Add("Range", "bytes=0-" + std::to_string(stored_bytes - 1));
  }
  if (ToLower(request.Header("X-GUploader-No-308")) == "yes") {
    reply.status = 200;
    reply.headers.Add("X-HTTP-Status-Code-Override", "308");
  }
  return reply;
}

Reply Dead(int status) {
  return status == 410 ? ErrorReply(410, "gone", "The upload session is no longer valid.")
                       : NotFound("No such upload session.");
}

Reply WrongMultiple(std::uint64_t bytes) {
  return Invalid(
      "Invalid request.  The number of bytes uploaded is required to be equal or greater than "
      "262144, except for the final request (it's recommended to be the exact multiple of "
      "262144).  The received request contained " +
      std::to_string(bytes) + " bytes, which does not meet this requirement.");
}

/// One PUT to a session.
class Continuation {
 public:
  Continuation(Call& call, UploadSession& session) : call_(call), session_(session) {}

  Reply Run() {
    std::unique_lock lock(session_.mutex);
    if (!session_.resource.is_null()) return ResourceReply(call_, session_.resource);
    if (!session_.writer) return Dead(session_.ended);
    const auto range = ContentRangeOf(call_.request, call_.body.size_bytes());
    if (!range) return range.error();
    if (auto checked = CheckTotal(*range); !checked) return checked.error();
    turn_ = ++session_.turn;
    if (!range->first) {
      const bool ends = range->total == session_.writer->size_bytes();
      return ends ? Complete() : Incomplete(call_.request, session_.writer->size_bytes());
    }
    return Take(*range, lock);
  }

 private:
  Outcome<void> CheckTotal(const ContentRange& range) {
    if (!range.total) return {};
    if (session_.total_bytes && *session_.total_bytes != *range.total) {
      return Refuse(Invalid("The total size differs from the one given before."));
    }
    if (*range.total < session_.writer->size_bytes()) {
      return Refuse(Invalid("The total size is less than what was uploaded already."));
    }
    session_.total_bytes = range.total;
    return {};
  }

  Reply Take(const ContentRange& range, std::unique_lock<std::mutex>& lock) {
    if (*range.first > session_.writer->size_bytes()) return BackendError();
    if (range.end && !range.Completes(*range.end)) {
      const std::uint64_t bytes = *range.end - *range.first;
      if (bytes % kQuantumBytes != 0) return WrongMultiple(bytes);
    }
    std::uint64_t ignored_bytes = session_.writer->size_bytes() - *range.first;
    std::uint64_t end = *range.first;
    std::vector<char> buffer(kResumablePieceBytes);
    BodySource::Piece piece;
    while (piece.state == BodySource::State::kMore) {
      lock.unlock();
      piece = Fill(call_.body, buffer);
      lock.lock();
      if (session_.turn != turn_ || !session_.writer) return BackendError();
      end += piece.size;
      const std::size_t skipped = std::min<std::uint64_t>(ignored_bytes, piece.size);
      ignored_bytes -= skipped;
      if (!Store({buffer.data() + skipped, piece.size - skipped}, piece.state, range, end)) {
        return BackendError();
      }
    }
    if (piece.state == BodySource::State::kLost) return BackendError();
    return End(range, end);
  }

  /// Keeps whole quanta of an interrupted body.
  bool Store(std::string_view bytes, BodySource::State state, const ContentRange& range,
             std::uint64_t end) {
    const bool keeps_all = state != BodySource::State::kLost &&
                           (state == BodySource::State::kMore || IsLast(range, end));
    const std::uint64_t left = (session_.writer->size_bytes() + bytes.size()) % kQuantumBytes;
    if (!keeps_all) bytes.remove_suffix(std::min<std::uint64_t>(left, bytes.size()));
    return session_.writer->Append(bytes);
  }

  bool IsLast(const ContentRange& range, std::uint64_t end) const {
    // A chunked body without Content-Range is the whole upload.
    return range.Completes(end) || !call_.request.headers.Get("Content-Range");
  }

  Reply End(const ContentRange& range, std::uint64_t end) {
    if (range.end && end != *range.end) return Invalid("The body is not as long as was said.");
    if (IsLast(range, end)) return Complete();
    if ((end - *range.first) % kQuantumBytes != 0) return WrongMultiple(end - *range.first);
    return Incomplete(call_.request, session_.writer->size_bytes());
  }

  Reply Complete() {
    UploadPlan plan{session_.bucket, session_.name, session_.attributes, session_.sums,
                    session_.conditions};
    if (auto added = plan.sums.Add(call_.request.headers); !added) return added.error();
    WrittenContent written = session_.writer->Finish();
    session_.writer.reset();
    Call as_starter{call_.request, call_.body, session_.grant, call_.state};
    const auto object = CommitUpload(as_starter, plan, std::move(written));
    if (!object) {
      session_.ended = 410;
      return object.error();
    }
    session_.resource = ResourceOf(**object, call_.request.Origin());
    return ObjectReply(call_, **object);
  }

  Call& call_;
  UploadSession& session_;
  std::uint64_t turn_ = 0;
};

Outcome<std::optional<std::uint64_t>> AnnouncedBytes(const Request& request) {
  const auto header = request.headers.Get("X-Upload-Content-Length");
  if (!header) return std::nullopt;
  const auto bytes = ParseInt(*header);
  if (!bytes || *bytes < 0) return Refuse(Invalid("Invalid X-Upload-Content-Length header."));
  return static_cast<std::uint64_t>(*bytes);
}

}  // namespace

Reply StartSession(Call& call, const std::string& bucket) {
  auto metadata = ReadResource(call);
  if (!metadata) return metadata.error();
  const std::string type = call.request.Header("X-Upload-Content-Type");
  if (!type.empty() && !metadata->contains("contentType")) (*metadata)["contentType"] = type;
  auto plan = PlanUpload(call, bucket, *metadata);
  if (!plan) return plan.error();
  if (auto checked = CheckPlan(call, *plan); !checked) return checked.error();
  const auto announced = AnnouncedBytes(call.request);
  if (!announced) return announced.error();
  auto session = std::make_shared<UploadSession>();
  session->bucket = plan->bucket;
  session->name = plan->name;
  session->attributes = std::move(plan->attributes);
  session->sums = std::move(plan->sums);
  session->conditions = plan->conditions;
  session->grant = call.grant;
  session->total_bytes = *announced;
  session->writer.emplace(call.state.contents, call.state.behavior.md5 || session->sums.md5);
  const std::string id = call.state.sessions.Add(std::move(session));
  Reply reply = EmptyReply(200);
  reply.headers.Add("Location", call.request.Origin() + "/upload/storage/v1/b/" +
                                    http::PercentEncode(bucket) +
                                    "/o?uploadType=resumable&upload_id=" + id);
  reply.headers.Add("X-GUploader-UploadID", id);
  return reply;
}

Reply ContinueSession(Call& call, const std::string&) {
  const auto session = call.state.sessions.Find(call.request.Query("upload_id").value_or(""));
  return session ? Continuation(call, *session).Run() : Dead(404);
}

Reply CancelSession(Call& call) {
  const auto session = call.state.sessions.Find(call.request.Query("upload_id").value_or(""));
  if (!session) return Dead(404);
  const std::lock_guard lock(session->mutex);
  if (!session->writer) return Dead(session->resource.is_null() ? session->ended : 404);
  session->writer.reset();
  session->ended = 410;
  return EmptyReply(499);
}

}  // namespace kinetic::gcs_server
