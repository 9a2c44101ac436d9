#include "kube/client.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "kube/object.h"
#include "kube/sender.h"
#include "kube/watch/watcher.h"

#include <unordered_set>

namespace kinetic::kube {
namespace {

constexpr int kMaxCreateAttempts = 5;

http::Url& AddWriterFields(http::Url& url) {
  return url.Query("fieldManager", kFieldManager).Query("fieldValidation", "Strict");
}

bool IsConditional(const DeleteOptions& options) {
  return !options.uid.empty() || !options.version.empty();
}

Value DeleteBody(const DeleteOptions& options) {
  Value body{Value::Map{}};
  body.Set("apiVersion", "v1");
  body.Set("kind", "DeleteOptions");
  body.Set("propagationPolicy", "Background");
  if (options.grace) {
    body.Set("gracePeriodSeconds", std::int64_t{options.grace->count()});
  }
  Value preconditions{Value::Map{}};
  if (!options.uid.empty()) preconditions.Set("uid", options.uid);
  if (!options.version.empty()) preconditions.Set("resourceVersion", options.version);
  if (IsConditional(options)) body.Set("preconditions", std::move(preconditions));
  return body;
}

}  // namespace

Client::Client(http::Transport& transport, Clock& clock, ClientOptions options)
    : sender_(transport, clock, options), options_(std::move(options)) {}

Result<Client::CreateResult> Client::Create(const Resource& resource, std::string_view name_space,
                                            const Value& object, std::stop_token stop) const {
  const Operation operation{"create", "creating", resource, std::string(name_space),
                            std::string(NameOf(object))};
  http::Url url = CollectionUrl(options_.server, resource, name_space);
  AddWriterFields(url);
  const http::Request request = sender_.JsonRequest("POST", url.Text(), object);
  if (auto fits = CheckSize(object, request.body->size_bytes()); !fits) {
    return Failure(std::move(fits).error().Context(operation.Text()));
  }
  http::Backoff backoff = sender_.NewBackoff();
  for (int creation = 1;; ++creation) {
    KINETIC_ASSIGN_OR_RETURN(
        const http::Response response,
        sender_.Send(operation, request, http::Idempotency::kIdempotent, stop));
    if (response.status / 100 == 2) {
      KINETIC_ASSIGN_OR_RETURN(Value made, ParseObject(operation, response));
      return CreateResult{std::move(made), false};
    }
    Error refusal = ToError(operation, response);
    if (refusal.code == ErrorCode::kAlreadyExists) {
      KINETIC_ASSIGN_OR_RETURN(auto there, Get(resource, name_space, operation.name, stop));
      if (there) return CreateResult{*std::move(there), true};
    }
    // The object was deleted meanwhile, or a quota was updated concurrently.
    const bool passes = response.status == 409 && creation < kMaxCreateAttempts;
    if (!passes) return Failure(std::move(refusal));
    KINETIC_RETURN_IF_ERROR(backoff.Wait(refusal, RetryDelay(response), stop));
  }
}

Result<std::optional<Value>> Client::Get(const Resource& resource, std::string_view name_space,
                                         std::string_view name, std::stop_token stop) const {
  const Operation operation{"get", "reading", resource, std::string(name_space), std::string(name)};
  const http::Url url = ObjectUrl(options_.server, resource, name_space, name);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(operation, sender_.GetRequest(url.Text()),
                                        http::Idempotency::kIdempotent, std::move(stop)));
  if (response.status != 200) {
    Error refusal = ToError(operation, response);
    if (refusal.code == ErrorCode::kNotFound) return std::optional<Value>();
    return Failure(std::move(refusal));
  }
  KINETIC_ASSIGN_OR_RETURN(Value object, ParseObject(operation, response));
  return std::optional<Value>(std::move(object));
}

Result<std::string> Client::List(const Resource& resource, std::string_view name_space,
                                 const ListOptions& query,
                                 const std::function<Status(const Value& item)>& each,
                                 std::stop_token stop) const {
  const Operation operation{"list", "listing", resource, std::string(name_space)};
  std::unordered_set<std::string> seen;
  const auto fetch = [&](const std::string& url) {
    return sender_.Send(operation, sender_.GetRequest(url), http::Idempotency::kIdempotent, stop);
  };
  const auto once = [&](const Value& item) -> Status {
    return seen.emplace(UidOf(item)).second ? each(item) : Status();
  };
  return ReadPages(
      {operation, CollectionUrl(options_.server, resource, name_space), query, fetch, once, [] {}});
}

Result<std::optional<Value>> Client::Patch(const Resource& resource, std::string_view name_space,
                                           std::string_view name, const Value& patch,
                                           std::stop_token stop) const {
  const Operation operation{"patch", "changing", resource, std::string(name_space),
                            std::string(name)};
  http::Url url = ObjectUrl(options_.server, resource, name_space, name);
  AddWriterFields(url);
  KINETIC_ASSIGN_OR_RETURN(
      const http::Response response,
      sender_.Send(operation,
                   sender_.JsonRequest("PATCH", url.Text(), patch, "application/merge-patch+json"),
                   http::Idempotency::kIdempotent, std::move(stop)));
  if (response.status / 100 != 2) {
    Error refusal = ToError(operation, response);
    if (refusal.code == ErrorCode::kNotFound) return std::optional<Value>();
    return Failure(std::move(refusal));
  }
  KINETIC_ASSIGN_OR_RETURN(Value object, ParseObject(operation, response));
  return std::optional<Value>(std::move(object));
}

Result<bool> Client::Delete(const Resource& resource, std::string_view name_space,
                            std::string_view name, const DeleteOptions& options,
                            std::stop_token stop) const {
  const Operation operation{"delete", "deleting", resource, std::string(name_space),
                            std::string(name)};
  const http::Url url = ObjectUrl(options_.server, resource, name_space, name);
  KINETIC_ASSIGN_OR_RETURN(
      const http::Response response,
      sender_.Send(operation, sender_.JsonRequest("DELETE", url.Text(), DeleteBody(options)),
                   http::Idempotency::kIdempotent, std::move(stop)));
  if (response.status / 100 == 2) return true;
  Error refusal = ToError(operation, response);
  if (refusal.code == ErrorCode::kNotFound) return false;
  // The uid or version differs.
  if (response.status == 409 && IsConditional(options)) return false;
  return Failure(std::move(refusal));
}

Status Client::Watch(const Resource& resource, std::string_view name_space,
                     const ListOptions& query, const EventSink& each, const WatchOptions& options,
                     std::stop_token stop) const {
  const Operation operation{"watch", "watching", resource, std::string(name_space)};
  const http::Url url = CollectionUrl(options_.server, resource, name_space);
  return Watcher(sender_, operation, {url, query}, each, options, std::move(stop)).Run();
}

}  // namespace kinetic::kube
