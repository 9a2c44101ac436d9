#include "gcs/bucket.h"

#include "base/strings.h"
#include "base/try.h"
#include "gcs/protocol.h"
#include "http/redacted.h"
#include "json/reader.h"

namespace kinetic::gcs {
namespace {

constexpr std::string_view kFields =
    "name,location,storageClass,iamConfiguration,softDeletePolicy,retentionPolicy,versioning,"
    "defaultEventBasedHold,lifecycle,labels,metageneration";

Value Rule(std::string_view action, std::string_view condition, int days,
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
Value Single(std::string key, Value value) {
  Value single{Value::Map{}};
  single.Set(std::move(key), std::move(value));
  return single;
}

Value AccessOf(const Bucket& bucket) {
  Value access{Value::Map{}};
  access.Set("uniformBucketLevelAccess", Single("enabled", bucket.uniform_access));
  access.Set("publicAccessPrevention", bucket.public_access_prevented ? "enforced" : "inherited");
  return access;
}

Value SoftDelete(std::chrono::seconds retention) {
  return Single("retentionDurationSeconds", std::to_string(retention.count()));
}

Value BucketResource(const Bucket& bucket) {
  Value resource{Value::Map{}};
  resource.Set("name", bucket.name);
  resource.Set("location", bucket.location);
  resource.Set("storageClass", bucket.storage_class);
  resource.Set("iamConfiguration", AccessOf(bucket));
  resource.Set("softDeletePolicy", SoftDelete(bucket.soft_delete));
  if (!bucket.lifecycle.empty()) {
    resource.Set("lifecycle", Single("rule", Value::List(bucket.lifecycle)));
  }
  if (!bucket.labels.empty()) {
    resource.Set("labels", Value::Map(bucket.labels.begin(), bucket.labels.end()));
  }
  return resource;
}

/// A number that Google's services write as text, or as a number.
std::int64_t NumberIn(const Value* value) {
  if (value == nullptr) return 0;
  if (value->AsInt() != nullptr) return *value->AsInt();
  return value->AsString() != nullptr ? ParseInt(*value->AsString()).value_or(0) : 0;
}

bool IsTrue(const Value* value) {
  return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
}

/// A member of a member; null where there is none.
const Value* Within(const Value* outer, std::string_view name) {
  return outer != nullptr ? outer->Find(name) : nullptr;
}

void ReadAccess(const Value& resource, Bucket& bucket) {
  const Value* access = resource.Find("iamConfiguration");
  bucket.uniform_access = IsTrue(Within(Within(access, "uniformBucketLevelAccess"), "enabled"));
  const Value* prevention = Within(access, "publicAccessPrevention");
  bucket.public_access_prevented = prevention != nullptr && *prevention == Value("enforced");
}

void ReadWhatStays(const Value& resource, Bucket& bucket) {
  bucket.soft_delete = std::chrono::seconds(
      NumberIn(Within(resource.Find("softDeletePolicy"), "retentionDurationSeconds")));
  bucket.retention =
      std::chrono::seconds(NumberIn(Within(resource.Find("retentionPolicy"), "retentionPeriod")));
  bucket.versioning = IsTrue(Within(resource.Find("versioning"), "enabled"));
  bucket.held = IsTrue(resource.Find("defaultEventBasedHold"));
}

Result<Bucket> BucketFrom(const http::Request& request, const http::Response& response) {
  if (response.status / 100 != 2) return Failure(ErrorOf(request, response));
  const std::string where =
      "the answer to " + request.method + " " + http::RedactedUrl(request.url).Text();
  const auto resource = Value::FromJson(response.body);
  if (!resource) return Fail(ErrorCode::kDataLoss, where + ": " + resource.error().message);
  json::ObjectReader reader(*resource, where);
  Bucket bucket;
  bucket.name = reader.String("name");
  bucket.location = reader.OptionalString("location").value_or("");
  bucket.storage_class = reader.OptionalString("storageClass").value_or("");
  bucket.metageneration = NumberIn(reader.Member("metageneration"));
  ReadAccess(*resource, bucket);
  ReadWhatStays(*resource, bucket);
  const Value* lifecycle = reader.Member("lifecycle");
  const Value* rules = lifecycle != nullptr ? lifecycle->Find("rule") : nullptr;
  if (rules != nullptr && rules->AsList() != nullptr) bucket.lifecycle = *rules->AsList();
  if (reader.Has("labels")) {
    for (const auto& [key, value] : reader.Map("labels")) {
      if (value.AsString() != nullptr) bucket.labels[key] = *value.AsString();
    }
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return bucket;
}

Error Taken(const std::string& name) {
  return {ErrorCode::kAlreadyExists,
          "the bucket gs://" + name + " belongs to somebody else",
          "choose another name: bucket names are shared by all of Cloud Storage",
          {}};
}

}  // namespace

bool Bucket::KeepsNothingBack() const {
  // Other classes than this one are paid for for a month at least.
  return storage_class == "STANDARD" && soft_delete.count() == 0 && retention.count() == 0 &&
         !versioning && !held;
}

Value DeletionAfterCustomTime(int days, const std::vector<std::string>& prefixes) {
  return Rule("Delete", "daysSinceCustomTime", days, prefixes);
}

Value DeletionByAge(int days, const std::vector<std::string>& prefixes) {
  return Rule("Delete", "age", days, prefixes);
}

http::Url Buckets::Address(const std::string& name) const {
  http::Url url(options_.endpoint);
  url.Raw("/storage/v1/b").Part(name);
  if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
  return url;
}

Result<Bucket> Buckets::Create(const std::string& project, const Bucket& bucket,
                               std::stop_token stop) const {
  http::Url url(options_.endpoint);
  url.Raw("/storage/v1/b").Query("project", project).Query("fields", kFields);
  if (!options_.user_project.empty()) url.Query("userProject", options_.user_project);
  const http::Request request = WithJson("POST", url.Text(), BucketResource(bucket));
  // A name is given once: sent twice, the second is refused.
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, stop));
  if (response.status != 409) return BucketFrom(request, response);
  auto there = Get(bucket.name, std::move(stop));
  const bool hidden = !there && there.error().code == ErrorCode::kPermissionDenied;
  if (hidden || (there && !*there)) return Failure(Taken(bucket.name));
  if (!there) return Failure(std::move(there).error());
  return **std::move(there);
}

Result<std::optional<Bucket>> Buckets::Get(const std::string& name, std::stop_token stop) const {
  http::Request request;
  request.url = Address(name).Query("fields", kFields).Text();
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, std::move(stop)));
  if (response.status == 404) return std::optional<Bucket>();
  KINETIC_ASSIGN_OR_RETURN(Bucket bucket, BucketFrom(request, response));
  return std::optional<Bucket>(std::move(bucket));
}

Result<std::optional<Bucket>> Buckets::Patch(const Bucket& seen, const Value& changes,
                                             std::stop_token stop) const {
  http::Url url = Address(seen.name);
  url.Query("fields", kFields).Query("ifMetagenerationMatch", std::to_string(seen.metageneration));
  const http::Request request = WithJson("PATCH", url.Text(), changes);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, std::move(stop)));
  if (response.status == 412) return std::optional<Bucket>();
  KINETIC_ASSIGN_OR_RETURN(Bucket bucket, BucketFrom(request, response));
  return std::optional<Bucket>(std::move(bucket));
}

Result<std::optional<Bucket>> Buckets::SetLifecycle(const Bucket& seen,
                                                    const std::vector<Value>& rules,
                                                    std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(
      auto changed, Patch(seen, Single("lifecycle", Single("rule", Value::List(rules))), stop));
  if (changed) return changed;
  // The answer to an earlier attempt may have been lost: then the rules are there.
  KINETIC_ASSIGN_OR_RETURN(auto there, Get(seen.name, std::move(stop)));
  return there && there->lifecycle == rules ? std::move(there) : std::optional<Bucket>();
}

Status Buckets::Remove(const std::string& name, std::stop_token stop) const {
  http::Request request;
  request.method = "DELETE";
  request.url = Address(name).Text();
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           sender_.Send(request, http::Idempotency::kIdempotent, std::move(stop)));
  if (response.status / 100 == 2 || response.status == 404) return {};
  return Failure(ErrorOf(request, response));
}

}  // namespace kinetic::gcs
