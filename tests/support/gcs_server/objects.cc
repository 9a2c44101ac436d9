#include "support/gcs_server/errors.h"
#include "support/gcs_server/handlers.h"

namespace kinetic::gcs_server {
namespace {

/// The parameters of every request that names an object.
struct ObjectTarget {
  std::optional<std::int64_t> generation;
  Preconditions conditions;
};

Outcome<ObjectTarget> ParseTarget(const Request& request) {
  auto generation = request.Number("generation");
  if (!generation) return Refuse(generation.error());
  auto conditions = Preconditions::Of(request);
  if (!conditions) return Refuse(conditions.error());
  return ObjectTarget{*generation, *std::move(conditions)};
}

Reply Change(Call& call, const std::string& bucket, const std::string& name, bool replace) {
  if (auto may = call.grant.Require("storage.objects.update", bucket + "/" + name); !may) {
    return may.error();
  }
  const auto target = ParseTarget(call.request);
  if (!target) return target.error();
  const auto resource = ReadResource(call);
  if (!resource) return resource.error();
  const auto check = [&](const Object* live) { return target->conditions.Check(live); };
  const auto change = [&](nlohmann::json& attributes) -> Outcome<void> {
    if (!replace) return PatchAttributes(attributes, *resource);
    const nlohmann::json before = attributes;
    // A custom time cannot be removed and only increases.
    attributes = nlohmann::json::object();
    if (before.contains("customTime")) attributes["customTime"] = before["customTime"];
    return PatchAttributes(attributes, *resource);
  };
  const auto changed = call.state.storage.Update(bucket, name, target->generation, check, change);
  return changed ? ObjectReply(call, **changed) : changed.error();
}

}  // namespace

Reply GetObject(Call& call, const std::string& bucket, const std::string& name) {
  if (auto may = call.grant.Require("storage.objects.get", bucket + "/" + name); !may) {
    return may.error();
  }
  const auto target = ParseTarget(call.request);
  if (!target) return target.error();
  if (call.request.Query("softDeleted") == "true") return NotImplemented("softDeleted");
  const auto object = call.state.storage.Find(bucket, name, target->generation);
  if (!object) return object.error();
  if (auto checked = target->conditions.CheckRead(**object); !checked) return checked.error();
  return ObjectReply(call, **object);
}

Reply PatchObject(Call& call, const std::string& bucket, const std::string& name) {
  return Change(call, bucket, name, false);
}

Reply UpdateObject(Call& call, const std::string& bucket, const std::string& name) {
  return Change(call, bucket, name, true);
}

Reply DeleteObject(Call& call, const std::string& bucket, const std::string& name) {
  if (auto may = call.grant.Require("storage.objects.delete", bucket + "/" + name); !may) {
    return may.error();
  }
  const auto target = ParseTarget(call.request);
  if (!target) return target.error();
  const auto check = [&](const Object* live) { return target->conditions.Check(live); };
  const auto removed = call.state.storage.Remove(bucket, name, target->generation, check);
  return removed ? EmptyReply(204) : removed.error();
}

}  // namespace kinetic::gcs_server
