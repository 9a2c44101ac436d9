#include "kube/watcher.h"

#include "base/try.h"
#include "kube/error.h"
#include "kube/lines.h"
#include "kube/object.h"
#include "kube/pages.h"

#include <algorithm>

namespace kinetic::kube {
namespace {

/// After so many failures to go on from a version, a list is asked for: a server whose storage was
/// put back knows no such version.
constexpr int kFailuresOfAVersion = 4;

/// What a server that starts, or a rule that is just being changed, may say.
bool MayBeStarting(ErrorCode code) {
  return code == ErrorCode::kPermissionDenied || code == ErrorCode::kUnauthenticated ||
         code == ErrorCode::kUnimplemented || code == ErrorCode::kNotFound ||
         code == ErrorCode::kFailedPrecondition;
}

bool Passes(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kDeadlineExceeded ||
         code == ErrorCode::kResourceExhausted || code == ErrorCode::kAborted ||
         code == ErrorCode::kDataLoss;
}

bool VersionIsUnknown(const StatusObject& status) {
  if (status.code == 410) return true;
  return std::any_of(status.causes.begin(), status.causes.end(),
                     [](const auto& cause) { return cause.first == "ResourceVersionTooLarge"; });
}

}  // namespace

Watcher::Watcher(const Sender& sender, const Operation& operation, const http::Url& url,
                 Query query, const EventSink& each, const WatchOptions& options,
                 std::stop_token stop)
    : sender_(sender),
      operation_(operation),
      url_(url),
      query_(std::move(query)),
      options_(options),
      stop_(std::move(stop)),
      known_([this, &each](const Event& event) -> Status {
        auto told = each(event);
        if (!told) sink_error_ = told.error();
        return told;
      }) {}

Status Watcher::Run() {
  for (;;) {
    if (stop_.stop_requested()) return Fail(ErrorCode::kCancelled, operation_.Text() + ": stopped");
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
                           ReadPages({operation_, url_, query_, ask,
                                      [&](const Value& item) { return known_.Present(item); },
                                      [&] { known_.BeginList(); }}));
  Heard();
  KINETIC_RETURN_IF_ERROR(known_.EndList());
  version_ = std::move(version);
  if (synced_) return {};
  synced_ = true;
  return known_.Synced();
}

Status Watcher::Follow() {
  http::Url url = url_;
  AddSelectors(url, query_);
  url.Query("watch", "true")
      .Query("allowWatchBookmarks", "true")
      .Query("resourceVersion", version_);
  url.Query("timeoutSeconds", std::to_string(options_.connection_time.count()));
  http::Request request = sender_.Read(url.Text());
  request.stall_timeout = options_.idle_timeout;
  bool begun = false;
  bool progress = false;
  request.on_head = [&](const http::Response&) {
    begun = true;
    Heard();
  };
  std::optional<Error> refused;
  Lines lines([&](std::string_view line) -> Status {
    auto read = OnLine(line);
    if (!read) refused = read.error();
    if (read) progress = true;
    return read;
  });
  const auto response =
      sender_.Once(request, [&](std::string_view piece) { return lines.Add(piece); }, stop_);
  if (progress) failed_ = 0;
  if (refused) return Failure(*std::move(refused));
  if (response && response->status / 100 != 2) {
    pause_ = PauseIn(*response);
    return OnRefusal(StatusFrom(response->status, response->body));
  }
  if (!response && (!begun || response.error().code == ErrorCode::kCancelled)) {
    return Failure(Error(response.error()).Context(operation_.Text()));
  }
  // It ended as connections do. One that told nothing is not followed by the next at once.
  if (progress) return {};
  return sender_.clock().Sleep(http::NextDelay(options_.retry, ++failed_, std::nullopt), stop_);
}

Status Watcher::OnLine(std::string_view line) {
  const auto event = Value::FromJson(line);
  const Value* object = event ? event->Find("object") : nullptr;
  if (object == nullptr) {
    return Fail(ErrorCode::kDataLoss, operation_.Text() + ": a line of the watch is no event");
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
  if (VersionIsUnknown(status)) version_.clear();
  return Failure(ErrorOf(operation_, status));
}

Status Watcher::Recover(const Error& error) {
  if (error.code == ErrorCode::kCancelled) return Failure(error);
  if (!Passes(error.code)) {
    const SteadyTime now = sender_.clock().Steady();
    if (!refused_since_) refused_since_ = now;
    const bool starting =
        admitted_ && MayBeStarting(error.code) && now - *refused_since_ < options_.refusal_time;
    if (!starting) return Failure(error);
  }
  ++failed_;
  const bool relisting = version_.empty() && synced_ && failed_ == 1;
  if (failed_ >= kFailuresOfAVersion && error.code != ErrorCode::kUnavailable) version_.clear();
  if (!relisting && !std::exchange(in_trouble_, true) && options_.on_trouble) {
    options_.on_trouble(&error);
  }
  if (relisting) return {};
  return sender_.clock().Sleep(
      http::NextDelay(options_.retry, failed_, std::exchange(pause_, std::nullopt)), stop_);
}

void Watcher::Heard() {
  admitted_ = true;
  refused_since_.reset();
  if (std::exchange(in_trouble_, false) && options_.on_trouble) options_.on_trouble(nullptr);
}

}  // namespace kinetic::kube
