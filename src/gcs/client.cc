#include "gcs/client.h"

#include "base/random.h"
#include "base/time/timestamp.h"
#include "base/try.h"
#include "gcs/protocol.h"
#include "http/url.h"

#include <algorithm>
#include <chrono>

namespace kinetic::gcs {
namespace {

/// Up to what a server cuts off.
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

/// Whether an object is what a change under these conditions, made once, has left.
bool IsResultOf(const Object& object, const Value& changes, const Conditions& conditions) {
  const bool next = object.metageneration == *conditions.if_metageneration + 1 &&
                    conditions.if_generation.value_or(object.generation) == object.generation;
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

http::Url Client::Address(std::string_view area) const {
  http::Url url(options_.endpoint);
  url.Raw(area).Raw("/storage/v1/b").Part(bucket_).Raw("/o");
  return url;
}

http::Url Client::ObjectAddress(const std::string& name) const {
  http::Url url = Address("");
  url.Part(name);
  if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
  return url;
}

Result<std::optional<Object>> Client::Stat(const std::string& name,
                                           std::optional<std::int64_t> generation,
                                           std::stop_token stop) const {
  http::Url url = ObjectAddress(name);
  if (generation) url.Query("generation", std::to_string(*generation));
  http::Request request;
  request.url = url.Query("fields", kObjectFields).Text();
  for (int read = 1;; ++read) {
    KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                             sender_.Send(request, http::Idempotency::kIdempotent, stop));
    auto object = ObjectUnless(404, request, response);
    const bool damaged = !object && object.error().code == ErrorCode::kDataLoss;
    if (!damaged || read == kReadsOfDamaged) return object;
  }
}

Result<std::optional<Object>> Client::Stat(const std::string& name, std::stop_token stop) const {
  return Stat(name, std::nullopt, std::move(stop));
}

Result<std::optional<Object>> Client::IfMarked(const std::string& name, const std::string& mark,
                                               std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(auto there, Stat(name, std::move(stop)));
  if (!there) return there;
  const auto found = there->metadata.find(std::string(kMarkKey));
  if (found == there->metadata.end() || found->second != mark) return std::optional<Object>();
  return there;
}

Result<std::optional<Object>> Client::Patch(const std::string& name, const Value& changes,
                                            const Conditions& conditions,
                                            std::stop_token stop) const {
  http::Url url = ObjectAddress(name);
  url.Query("fields", kObjectFields);
  AddConditions(url, conditions);
  const http::Request request = WithJson("PATCH", url.Text(), changes);
  // Setting the same twice is setting it once.
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, stop));
  if (response.status != 412) return ObjectUnless(404, request, response);
  if (!conditions.if_metageneration) return std::optional<Object>();
  KINETIC_ASSIGN_OR_RETURN(auto there, Stat(name, std::move(stop)));
  const bool ours = there && IsResultOf(*there, changes, conditions);
  return ours ? std::move(there) : std::optional<Object>();
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
  body.Set("destination", ResourceOf({}, marked));
  http::Url address = Address("");
  address.Part(name).Raw("/compose").Query("fields", kObjectFields);
  if (!options_.user_project.empty()) address.Query("userProject", options_.user_project);
  AddConditions(address, {options.if_generation, {}});
  const http::Request request = WithJson("POST", address.Text(), body);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, IdempotencyOf({options.if_generation, {}}), stop));
  if (response.status == 412) return IfMarked(name, mark, std::move(stop));
  return ObjectUnless(0, request, response);
}

}  // namespace kinetic::gcs
