#include "gcs/bucket.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "gcs/protocol.h"
#include "http/url.h"
#include "json/document.h"

namespace kinetic::gcs {
namespace {

constexpr std::string_view kBucketFields =
    "name,storageClass,softDeletePolicy,retentionPolicy,versioning,defaultEventBasedHold,lifecycle,"
    "metageneration";

Value LifecycleRule(std::string_view action, std::string_view condition, int days,
                    const std::vector<std::string>& prefixes) {
  Value what{Value::Map{}};
  what.Set("type", std::string(action));
  Value when{Value::Map{}};
  when.Set(std::string(condition), days);
  Value::List names(prefixes.begin(), prefixes.end());
  if (!names.empty()) when.Set("matchesPrefix", std::move(names));
  Value rule{Value::Map{}};
  rule.Set("action", std::move(what));
  rule.Set("condition", std::move(when));
  return rule;
}

/// {"key": value}
Value SingleField(std::string key, Value value) {
  Value single{Value::Map{}};
  single.Set(std::move(key), std::move(value));
  return single;
}

/// Reads a number, which JSON APIs of Google may encode as a string.
std::int64_t NumberIn(const Value* value) {
  if (value == nullptr) return 0;
  if (value->AsInt() != nullptr) return *value->AsInt();
  return value->AsString() != nullptr ? ParseInt(*value->AsString()).value_or(0) : 0;
}

bool IsTrue(const Value* value) {
  return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
}

/// Returns a field of an object; null if either is missing.
const Value* FieldAt(const Value* outer, std::string_view name) {
  return outer != nullptr ? outer->Find(name) : nullptr;
}

void ReadRetention(const Value& resource, Bucket& bucket) {
  bucket.soft_delete = std::chrono::seconds(
      NumberIn(FieldAt(resource.Find("softDeletePolicy"), "retentionDurationSeconds")));
  bucket.retention =
      std::chrono::seconds(NumberIn(FieldAt(resource.Find("retentionPolicy"), "retentionPeriod")));
  bucket.versioning = IsTrue(FieldAt(resource.Find("versioning"), "enabled"));
  bucket.event_based_hold = IsTrue(resource.Find("defaultEventBasedHold"));
}

Result<Bucket> BucketFrom(const http::Request& request, const http::Response& response) {
  if (response.status / 100 != 2) return Failure(ErrorFromResponse(request, response));
  const std::string where =
      "the response to " + request.method + " " + http::RedactedUrl(request.url).Text();
  const auto resource = Value::FromJson(response.body);
  if (!resource) return Fail(ErrorCode::kDataLoss, where + ": " + resource.error().message);
  json::ObjectReader reader(*resource, where);
  Bucket bucket;
  bucket.name = reader.String("name");
  bucket.storage_class = reader.OptionalString("storageClass").value_or("");
  bucket.metageneration = NumberIn(reader.Member("metageneration"));
  ReadRetention(*resource, bucket);
  const Value* lifecycle = reader.Member("lifecycle");
  const Value* rules = lifecycle != nullptr ? lifecycle->Find("rule") : nullptr;
  if (rules != nullptr && rules->AsList() != nullptr) bucket.lifecycle = *rules->AsList();
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return bucket;
}

}  // namespace

bool Bucket::DeletesImmediately() const {
  // Other classes have a minimum storage duration of 30 days or more.
  return storage_class == "STANDARD" && soft_delete.count() == 0 && retention.count() == 0 &&
         !versioning && !event_based_hold;
}

Value DeleteAfterCustomTimeRule(int days, const std::vector<std::string>& prefixes) {
  return LifecycleRule("Delete", "daysSinceCustomTime", days, prefixes);
}

Value DeleteAfterAgeRule(int days, const std::vector<std::string>& prefixes) {
  return LifecycleRule("Delete", "age", days, prefixes);
}

http::Url Buckets::BucketUrl(const std::string& name) const {
  http::Url url(options_.endpoint);
  url.Raw("/storage/v1/b").Part(name);
  if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
  return url;
}

Result<std::optional<Bucket>> Buckets::Get(const std::string& name, std::stop_token stop) const {
  http::Request request;
  request.url = BucketUrl(name).Query("fields", kBucketFields).Text();
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, std::move(stop)));
  if (response.status == 404) return std::optional<Bucket>();
  KINETIC_ASSIGN_OR_RETURN(Bucket bucket, BucketFrom(request, response));
  return std::optional<Bucket>(std::move(bucket));
}

Result<std::optional<Bucket>> Buckets::Patch(const Bucket& known, const Value& changes,
                                             std::stop_token stop) const {
  http::Url url = BucketUrl(known.name);
  url.Query("fields", kBucketFields)
      .Query("ifMetagenerationMatch", std::to_string(known.metageneration));
  const http::Request request = JsonRequest("PATCH", url.Text(), changes);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, std::move(stop)));
  if (IsConditionNotMet(response)) return std::optional<Bucket>();
  KINETIC_ASSIGN_OR_RETURN(Bucket bucket, BucketFrom(request, response));
  return std::optional<Bucket>(std::move(bucket));
}

Result<std::optional<Bucket>> Buckets::SetLifecycle(const Bucket& known,
                                                    const std::vector<Value>& rules,
                                                    std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(
      auto changed,
      Patch(known, SingleField("lifecycle", SingleField("rule", Value::List(rules))), stop));
  if (changed) return changed;
  // The response to an earlier, successful attempt may have been lost.
  KINETIC_ASSIGN_OR_RETURN(auto existing, Get(known.name, std::move(stop)));
  return existing && existing->lifecycle == rules ? std::move(existing) : std::optional<Bucket>();
}

}  // namespace kinetic::gcs
