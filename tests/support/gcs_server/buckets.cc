#include "support/gcs_server/errors.h"
#include "support/gcs_server/handlers.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace kinetic::gcs_server {
namespace {

using nlohmann::json;

/// Fields that clients may set. All are stored and returned; none has an effect.
constexpr std::array<const char*, 12> kSettable{"location",
                                                "storageClass",
                                                "iamConfiguration",
                                                "softDeletePolicy",
                                                "lifecycle",
                                                "retentionPolicy",
                                                "defaultEventBasedHold",
                                                "labels",
                                                "cors",
                                                "versioning",
                                                "autoclass",
                                                "hierarchicalNamespace"};

bool IsBucketName(const std::string& name) {
  const auto fits = [](char byte) {
    return (std::islower(static_cast<unsigned char>(byte)) != 0) ||
           (std::isdigit(static_cast<unsigned char>(byte)) != 0) || byte == '-' || byte == '_' ||
           byte == '.';
  };
  return name.size() >= 3 && name.size() <= 222 && std::all_of(name.begin(), name.end(), fits) &&
         std::isalnum(static_cast<unsigned char>(name.front())) != 0 &&
         std::isalnum(static_cast<unsigned char>(name.back())) != 0;
}

std::int64_t MetagenerationOf(const json& resource) {
  return std::stoll(resource.at("metageneration").get<std::string>());
}

/// Returns the stored fields and derived ones.
json BucketResource(const Call& call, json resource) {
  const std::string name = resource.at("name").get<std::string>();
  resource.update({{"kind", "storage#bucket"},
                   {"id", name},
                   {"selfLink", call.request.Origin() + "/storage/v1/b/" + name},
                   {"projectNumber", "123456789012"},
                   {"etag", EtagOf(1, MetagenerationOf(resource))}});
  resource.erase("policy");
  resource.erase("policyVersion");
  return resource;
}

Outcome<void> Apply(const json& body, json& resource) {
  for (const char* missing : {"versioning", "hierarchicalNamespace"}) {
    const json setting = body.value(missing, json::object());
    if (setting.is_object() && setting.value("enabled", false)) {
      return Refuse(NotImplemented(missing));
    }
  }
  json patch = json::object();
  for (const char* key : kSettable) {
    if (body.contains(key)) patch[key] = body[key];
  }
  resource.merge_patch(patch);
  std::string location = resource.value("location", "US");
  std::transform(location.begin(), location.end(), location.begin(),
                 [](unsigned char byte) { return std::toupper(byte); });
  resource["location"] = location;
  resource["locationType"] = location.find('-') == std::string::npos ? "multi-region" : "region";
  if (!resource.contains("storageClass")) resource["storageClass"] = "STANDARD";
  return {};
}

Outcome<void> CheckMetageneration(const Call& call, const json& resource) {
  const auto conditions = Preconditions::Of(call.request);
  if (!conditions) return Refuse(conditions.error());
  return conditions->CheckBucket(MetagenerationOf(resource));
}

}  // namespace

Reply CreateBucket(Call& call) {
  if (!call.request.Query("project"))
    return ErrorReply(400, "required", "Required parameter: project");
  const auto body = ReadResource(call);
  if (!body) return body.error();
  const std::string name = body->contains("name") && (*body)["name"].is_string()
                               ? (*body)["name"].get<std::string>()
                               : "";
  if (!IsBucketName(name)) return Invalid("Invalid bucket name: '" + name + "'");
  if (auto may = call.grant.Require("storage.buckets.create", name); !may) return may.error();
  json resource = {{"name", name}};
  if (auto applied = Apply(*body, resource); !applied) return applied.error();
  const auto created = call.state.storage.CreateBucket(std::move(resource));
  return created ? ResourceReply(call, BucketResource(call, *created)) : created.error();
}

Reply ListBuckets(Call& call) {
  if (auto may = call.grant.Require("storage.buckets.list", "project"); !may) return may.error();
  json items = json::array();
  for (const json& bucket : call.state.storage.Buckets()) {
    const bool wanted =
        bucket.at("name").get<std::string>().starts_with(call.request.Query("prefix").value_or(""));
    if (wanted) items.push_back(BucketResource(call, bucket));
  }
  return ResourceReply(call, {{"kind", "storage#buckets"}, {"items", items}});
}

Reply GetBucket(Call& call, const std::string& bucket) {
  if (auto may = call.grant.Require("storage.buckets.get", bucket); !may) return may.error();
  const auto resource = call.state.storage.Bucket(bucket);
  if (!resource) return resource.error();
  if (auto checked = CheckMetageneration(call, *resource); !checked) return checked.error();
  return ResourceReply(call, BucketResource(call, *resource));
}

/// Returns the location for callers that may list the bucket but not read its settings.
Reply GetStorageLayout(Call& call, const std::string& bucket) {
  if (auto may = call.grant.Require("storage.objects.list", bucket); !may) return may.error();
  const auto resource = call.state.storage.Bucket(bucket);
  if (!resource) return resource.error();
  return ResourceReply(call, {{"kind", "storage#storageLayout"},
                              {"bucket", bucket},
                              {"location", resource->at("location")},
                              {"locationType", resource->at("locationType")},
                              {"hierarchicalNamespace", {{"enabled", false}}}});
}

Reply PatchBucket(Call& call, const std::string& bucket, bool replace) {
  if (auto may = call.grant.Require("storage.buckets.update", bucket); !may) return may.error();
  const auto body = ReadResource(call);
  if (!body) return body.error();
  const auto change = [&](json& resource) -> Outcome<void> {
    if (auto checked = CheckMetageneration(call, resource); !checked) return checked;
    if (replace) {
      for (const char* key : kSettable) {
        if (std::string_view(key) != "location") resource.erase(key);
      }
    }
    return Apply(*body, resource);
  };
  const auto changed = call.state.storage.ChangeBucket(bucket, change);
  return changed ? ResourceReply(call, BucketResource(call, *changed)) : changed.error();
}

Reply DeleteBucket(Call& call, const std::string& bucket) {
  if (auto may = call.grant.Require("storage.buckets.delete", bucket); !may) return may.error();
  const auto removed = call.state.storage.RemoveBucket(
      bucket, [&call](const json& resource) { return CheckMetageneration(call, resource); });
  return removed ? EmptyReply(204) : removed.error();
}

}  // namespace kinetic::gcs_server
