#include "kube/watch/watcher.h"

#include "base/try.h"
#include "kube/error.h"
#include "kube/object.h"
#include "kube/sender.h"

#include <algorithm>
#include <utility>

namespace kinetic::kube {
namespace {

using std::chrono::seconds;

/// So many refusals of a version, and a list is asked for: a server whose storage was put back does
/// not know what it told before.
constexpr int kRefusalsOfAVersion = 3;

/// A connection that lived so long was a good one, even if it had nothing to tell.
constexpr seconds kGoodConnection{10};

bool Passes(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kDeadlineExceeded ||
         code == ErrorCode::kResourceExhausted || code == ErrorCode::kAborted ||
         code == ErrorCode::kDataLoss;
}

/// What a server that starts says before it knows its rules and its kinds.
bool IsSaidByAStartingServer(ErrorCode code) {
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

Watcher::Watcher(const Sender& sender, const Operation& operation, Collection collection,
                 const EventSink& each, const WatchOptions& options, std::stop_token stop)
    : sender_(sender),
      operation_(operation),
      collection_(std::move(collection)),
      options_(options),
      stop_(std::move(stop)),
      known_([this, &each](const Event& event) -> Status {
        auto told = each(event);
        if (!told) sink_error_ = told.error();
        return told;
      }) {}

Status Watcher::Run() {
  for (;;) {
    if (stop_.stop_requested()) {
      return Fail(ErrorCode::kCancelled, operation_.Text() + ": stopped");
    }
    const Status done = version_.empty() ? Relist() : Follow();
    if (sink_error_) return Failure(*std::move(sink_error_));
    if (!done) KINETIC_RETURN_IF_ERROR(Recover(done.error()));
  }
}

Status Watcher::Relist() {
  const auto ask = [&](const std::string& url) -> Result<http::Response> {
    auto page = sender_.Once(sender_.Read(url), stop_);
    if (!page) return Failure(std::move(page).error().Context(operation_.Text()));
    pause_ = PauseIn(*page);
    return page;
  };
  known_.BeginList();
  KINETIC_ASSIGN_OR_RETURN(std::string version,
                           ReadPages({operation_, collection_.url, collection_.query, ask,
                                      [&](const Value& item) { return known_.Present(item); },
                                      [&] { known_.BeginList(); }}));
  Heard();
  KINETIC_RETURN_IF_ERROR(known_.EndList());
  version_ = std::move(version);
  version_refusals_ = 0;
  return std::exchange(synced_, true) ? Status() : known_.Synced();
}

http::Url Watcher::AddressOfStream() const {
  http::Url url = collection_.url;
  AddSelectors(url, collection_.query);
  return url.Query("watch", "true")
      .Query("allowWatchBookmarks", "true")
      .Query("resourceVersion", version_)
      .Query("timeoutSeconds", std::to_string(options_.connection_time.count()));
}

Status Watcher::Follow() {
  http::Request request = sender_.Read(AddressOfStream().Text());
  request.stall_timeout = options_.idle_timeout;
  const SteadyTime start = sender_.clock().Steady();
  bool begun = false;
  bool told = false;
  request.on_head = [&](const http::Response&) {
    begun = true;
    admitted_ = true;
    refused_since_.reset();
    Heard();
  };
  std::optional<Error> refused;
  Lines lines([&](std::string_view line) -> Status {
    KINETIC_RETURN_IF_ERROR(OnLine(line));
    told = true;
    return {};
  });
  const auto take = [&](std::string_view piece) -> Status {
    auto taken = lines.Add(piece);
    if (!taken) refused = taken.error();
    return taken;
  };
  const auto response = sender_.Once(request, take, stop_);
  if (told || (begun && sender_.clock().Steady() - start >= kGoodConnection)) {
    failed_ = 0;
    version_refusals_ = 0;
    told = true;
  }
  if (refused) return Failure(*std::move(refused));
  if (response && response->status / 100 != 2) {
    pause_ = PauseIn(*response);
    return OnRefusal(StatusFrom(response->status, response->body));
  }
  if (!response && (!begun || response.error().code == ErrorCode::kCancelled)) {
    return Failure(Error(response.error()).Context(operation_.Text()));
  }
  // It ended as connections do; one that was good for nothing is not followed by the next at once.
  return told ? Status() : Pause();
}

Status Watcher::OnLine(std::string_view line) {
  const auto event = Value::FromJson(WithoutManagedFields(line));
  const Value* object = event ? event->Find("object") : nullptr;
  if (object == nullptr) {
    return Fail(ErrorCode::kDataLoss, operation_.Text() + ": a line that is no event");
  }
  const std::string_view type = TextAt(*event, {"type"});
  if (type == "ERROR") return OnRefusal(StatusFrom(*object));
  if (type == "ADDED" || type == "MODIFIED") KINETIC_RETURN_IF_ERROR(known_.Present(*object));
  if (type == "DELETED") KINETIC_RETURN_IF_ERROR(known_.Deleted(*object));
  const std::string_view version = ResourceVersionOf(*object);
  if (!version.empty()) version_ = version;
  return {};
}

Status Watcher::OnRefusal(const StatusObject& status) {
  const bool of_version = status.code != 401 && status.code != 403 && status.code != 429;
  if (of_version) ++version_refusals_;
  if (VersionIsUnknown(status) || version_refusals_ >= kRefusalsOfAVersion) version_.clear();
  return Failure(ErrorOf(operation_, status));
}

Status Watcher::Recover(const Error& error) {
  if (error.code == ErrorCode::kCancelled) return Failure(error);
  if (!Passes(error.code) && !MayBeStarting(error.code)) return Failure(error);
  // A version that has expired is no trouble: a list follows at once.
  if (error.code == ErrorCode::kAborted && version_.empty() && failed_ == 0) {
    ++failed_;
    return {};
  }
  if (!std::exchange(in_trouble_, true) && options_.on_trouble) options_.on_trouble(&error);
  return Pause();
}

bool Watcher::MayBeStarting(ErrorCode code) {
  const SteadyTime now = sender_.clock().Steady();
  if (!refused_since_) refused_since_ = now;
  return admitted_ && IsSaidByAStartingServer(code) &&
         now - *refused_since_ < options_.refusal_time;
}

Status Watcher::Pause() {
  ++failed_;
  return sender_.clock().Sleep(
      http::BackoffDelay(options_.retry, failed_, std::exchange(pause_, std::nullopt)), stop_);
}

void Watcher::Heard() {
  if (std::exchange(in_trouble_, false) && options_.on_trouble) options_.on_trouble(nullptr);
}

}  // namespace kinetic::kube
