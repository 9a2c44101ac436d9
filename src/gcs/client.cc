#include "gcs/client.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "base/time/clock.h"
#include "gcs/protocol.h"
#include "http/url.h"

#include <algorithm>
#include <chrono>

namespace kinetic::gcs {
namespace {

/// Ignores differences below the precision of servers.
bool HasTime(const std::optional<WallTime>& time, const Value& wanted) {
  const auto meant = wanted.AsString() != nullptr ? ParseTime(*wanted.AsString()) : std::nullopt;
  return time && meant && std::chrono::abs(*meant - *time) < std::chrono::milliseconds(1);
}

bool HasAll(const std::map<std::string, std::string>& metadata, const Value& wanted) {
  if (wanted.AsMap() == nullptr) return false;
  return std::all_of(wanted.AsMap()->begin(), wanted.AsMap()->end(), [&](const auto& member) {
    const auto found = metadata.find(member.first);
    if (member.second.IsNull()) return found == metadata.end();
    return found != metadata.end() && member.second.AsString() != nullptr &&
           *member.second.AsString() == found->second;
  });
}

/// Returns whether an object is the result of exactly this change.
bool IsResultOf(const Object& object, const Value& changes, const Preconditions& preconditions) {
  const bool next = object.metageneration == *preconditions.if_metageneration + 1 &&
                    preconditions.if_generation.value_or(object.generation) == object.generation;
  if (!next || changes.AsMap() == nullptr) return false;
  return std::all_of(changes.AsMap()->begin(), changes.AsMap()->end(), [&](const auto& member) {
    if (member.first == "customTime") return HasTime(object.custom_time, member.second);
    return member.first == "metadata" && HasAll(object.metadata, member.second);
  });
}

}  // namespace

Client::Client(http::Transport& transport, Clock& clock, std::string bucket, ClientOptions options)
    : sender_(transport, clock, options),
      bucket_(std::move(bucket)),
      options_(std::move(options)) {}

http::Url Client::ObjectsUrl(std::string_view path_prefix) const {
  http::Url url(options_.endpoint);
  url.Raw(path_prefix).Raw("/storage/v1/b").Part(bucket_).Raw("/o");
  return url;
}

http::Url Client::ObjectUrl(const std::string& name) const {
  http::Url url = ObjectsUrl("");
  url.Part(name);
  if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
  return url;
}

Result<std::optional<Object>> Client::Stat(const std::string& name,
                                           std::optional<std::int64_t> generation,
                                           std::stop_token stop) const {
  http::Url url = ObjectUrl(name);
  if (generation) url.Query("generation", std::to_string(*generation));
  http::Request request;
  request.url = url.Query("fields", kObjectFields).Text();
  for (int read = 1;; ++read) {
    KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                             sender_.Send(request, http::Idempotency::kIdempotent, stop));
    auto object = ReadObject(404, request, response);
    const bool damaged = !object && object.error().code == ErrorCode::kDataLoss;
    if (!damaged || read == kMaxReadAttempts) return object;
  }
}

Result<std::optional<Object>> Client::Stat(const std::string& name, std::stop_token stop) const {
  return Stat(name, std::nullopt, std::move(stop));
}

Result<std::optional<Object>> Client::StatIfMarked(const std::string& name, const std::string& mark,
                                                   std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(auto existing, Stat(name, std::move(stop)));
  if (!existing) return existing;
  const auto found = existing->metadata.find(std::string(kMarkKey));
  if (found == existing->metadata.end() || found->second != mark) return std::optional<Object>();
  return existing;
}

Result<std::optional<Object>> Client::Patch(const std::string& name, const Value& changes,
                                            const Preconditions& preconditions,
                                            std::stop_token stop) const {
  http::Url url = ObjectUrl(name);
  url.Query("fields", kObjectFields);
  AddPreconditions(url, preconditions);
  const http::Request request = JsonRequest("PATCH", url.Text(), changes);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, stop));
  if (!IsConditionNotMet(response)) return ReadObject(404, request, response);
  if (!preconditions.if_metageneration) return std::optional<Object>();
  KINETIC_ASSIGN_OR_RETURN(auto existing, Stat(name, std::move(stop)));
  const bool ours = existing && IsResultOf(*existing, changes, preconditions);
  return ours ? std::move(existing) : std::optional<Object>();
}

Result<std::optional<Object>> Client::Compose(const std::vector<Object>& parts,
                                              const std::string& name, const InsertOptions& options,
                                              std::stop_token stop) const {
  Value::List sources;
  for (const Object& part : parts) {
    Value source{Value::Map{}};
    source.Set("name", part.name);
    source.Set("generation", std::to_string(part.generation));
    sources.push_back(std::move(source));
  }
  Value body{Value::Map{}};
  body.Set("sourceObjects", std::move(sources));
  InsertOptions marked = options;
  const std::string mark = RandomId();
  marked.metadata[std::string(kMarkKey)] = mark;
  body.Set("destination", ObjectResource({}, marked));
  http::Url url = ObjectsUrl("");
  url.Part(name).Raw("/compose").Query("fields", kObjectFields);
  if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
  AddPreconditions(url, {options.if_generation, {}});
  const http::Request request = JsonRequest("POST", url.Text(), body);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, IdempotencyOf({options.if_generation, {}}), stop));
  if (IsConditionNotMet(response)) return StatIfMarked(name, mark, std::move(stop));
  return ReadObject(0, request, response);
}

}  // namespace kinetic::gcs
