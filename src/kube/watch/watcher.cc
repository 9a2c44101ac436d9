#include "kube/watch/watcher.h"

#include "kinetic/try.h"

#include "kube/error.h"
#include "kube/object.h"
#include "kube/sender.h"

#include <algorithm>
#include <utility>

namespace kinetic::kube {
namespace {

using std::chrono::seconds;

/// After this many rejections of a version the watcher lists again: a server whose storage was
/// restored from a backup does not know newer versions.
constexpr int kMaxVersionRejections = 3;

/// A connection that lasted this long resets the backoff, even without events.
constexpr seconds kStableConnection{10};

bool IsTransient(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kDeadlineExceeded ||
         code == ErrorCode::kResourceExhausted || code == ErrorCode::kAborted ||
         code == ErrorCode::kDataLoss;
}

/// Errors that an API server returns before it has loaded its RBAC rules and resource types.
bool IsStartupError(ErrorCode code) {
  return code == ErrorCode::kPermissionDenied || code == ErrorCode::kUnauthenticated ||
         code == ErrorCode::kUnimplemented || code == ErrorCode::kNotFound ||
         code == ErrorCode::kFailedPrecondition;
}

bool VersionIsUnknown(const StatusObject& status) {
  if (status.code == 410) return true;
  return std::any_of(status.causes.begin(), status.causes.end(),
                     [](const auto& cause) { return cause.first == "ResourceVersionTooLarge"; });
}

}  // namespace

Watcher::Watcher(const RequestSender& sender, const Operation& operation, Collection collection,
                 const EventSink& each, const WatchOptions& options, std::stop_token stop)
    : sender_(sender),
      operation_(operation),
      collection_(std::move(collection)),
      options_(options),
      stop_(std::move(stop)),
      known_([this, &each](const WatchEvent& event) -> Status {
        auto result = each(event);
        if (!result) sink_error_ = result.error();
        return result;
      }) {}

Status Watcher::Run() {
  for (;;) {
    if (stop_.stop_requested()) {
      return Fail(ErrorCode::kCancelled, operation_.Text() + ": stopped");
    }
    const Status done = version_.empty() ? Relist() : Stream();
    if (sink_error_) return Failure(*std::move(sink_error_));
    if (!done) KINETIC_RETURN_IF_ERROR(Recover(done.error()));
  }
}

Status Watcher::Relist() {
  const auto fetch = [&](const std::string& url) -> Result<http::Response> {
    auto page = sender_.SendOnce(sender_.GetRequest(url), stop_);
    if (!page) return Failure(std::move(page).error().Context(operation_.Text()));
    pause_ = RetryDelay(*page);
    return page;
  };
  known_.BeginList();
  KINETIC_ASSIGN_OR_RETURN(std::string version,
                           ReadPages({operation_, collection_.url, collection_.query, fetch,
                                      [&](const Value& item) { return known_.Update(item); },
                                      [&] { known_.BeginList(); }}));
  OnContact();
  KINETIC_RETURN_IF_ERROR(known_.EndList());
  version_ = std::move(version);
  version_rejections_ = 0;
  return std::exchange(synced_, true) ? Status() : known_.EmitSynced();
}

http::Url Watcher::StreamUrl() const {
  http::Url url = collection_.url;
  AddSelectors(url, collection_.query);
  return url.Query("watch", "true")
      .Query("allowWatchBookmarks", "true")
      .Query("resourceVersion", version_)
      .Query("timeoutSeconds", std::to_string(options_.connection_lifetime.count()));
}

Status Watcher::Stream() {
  http::Request request = sender_.GetRequest(StreamUrl().Text());
  request.stall_timeout = options_.idle_timeout;
  const SteadyTime start = sender_.clock().Steady();
  bool begun = false;
  bool useful = false;
  request.on_head = [&](const http::Response&) {
    begun = true;
    admitted_ = true;
    rejected_since_.reset();
    OnContact();
  };
  std::optional<Error> refused;
  LineSplitter lines([&](std::string_view line) -> Status {
    KINETIC_RETURN_IF_ERROR(OnLine(line));
    useful = true;
    return {};
  });
  const auto take = [&](std::string_view piece) -> Status {
    auto taken = lines.Add(piece);
    if (!taken) refused = taken.error();
    return taken;
  };
  const auto response = sender_.SendOnce(request, take, stop_);
  if (useful || (begun && sender_.clock().Steady() - start >= kStableConnection)) {
    failed_ = 0;
    version_rejections_ = 0;
    useful = true;
  }
  if (refused) return Failure(*std::move(refused));
  if (response && response->status / 100 != 2) {
    pause_ = RetryDelay(*response);
    return OnErrorStatus(ParseStatus(response->status, response->body));
  }
  if (!response && (!begun || response.error().code == ErrorCode::kCancelled)) {
    return Failure(Error(response.error()).Context(operation_.Text()));
  }
  // Reconnect at once only if the stream was useful.
  return useful ? Status() : Pause();
}

Status Watcher::OnLine(std::string_view line) {
  const auto event = Value::FromJson(WithoutManagedFields(line));
  const Value* object = event ? event->Find("object") : nullptr;
  if (object == nullptr) {
    return Fail(ErrorCode::kDataLoss, operation_.Text() + ": a line is not an event");
  }
  const std::string_view type = TextAt(*event, {"type"});
  if (type == "ERROR") return OnErrorStatus(ParseStatus(*object));
  if (type == "ADDED" || type == "MODIFIED") KINETIC_RETURN_IF_ERROR(known_.Update(*object));
  if (type == "DELETED") KINETIC_RETURN_IF_ERROR(known_.Remove(*object));
  const std::string_view version = ResourceVersionOf(*object);
  if (!version.empty()) version_ = version;
  return {};
}

Status Watcher::OnErrorStatus(const StatusObject& status) {
  const bool counts = status.code != 401 && status.code != 403 && status.code != 429;
  if (counts) ++version_rejections_;
  if (VersionIsUnknown(status) || version_rejections_ >= kMaxVersionRejections) version_.clear();
  return Failure(ToError(operation_, status));
}

Status Watcher::Recover(const Error& error) {
  if (error.code == ErrorCode::kCancelled) return Failure(error);
  if (!IsTransient(error.code) && !MayBeServerStartup(error.code)) return Failure(error);
  // An expired version is normal: list again at once.
  if (error.code == ErrorCode::kAborted && version_.empty() && failed_ == 0) {
    ++failed_;
    return {};
  }
  if (!std::exchange(unhealthy_, true) && options_.on_health_change)
    options_.on_health_change(&error);
  return Pause();
}

bool Watcher::MayBeServerStartup(ErrorCode code) {
  const SteadyTime now = sender_.clock().Steady();
  if (!rejected_since_) rejected_since_ = now;
  return admitted_ && IsStartupError(code) && now - *rejected_since_ < options_.rejection_grace;
}

Status Watcher::Pause() {
  ++failed_;
  return sender_.clock().Sleep(
      http::BackoffDelay(options_.retry, failed_, std::exchange(pause_, std::nullopt)), stop_);
}

void Watcher::OnContact() {
  if (std::exchange(unhealthy_, false) && options_.on_health_change)
    options_.on_health_change(nullptr);
}

}  // namespace kinetic::kube
