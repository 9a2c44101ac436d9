#include "support/gcs_server/call.h"

#include "support/gcs_server/errors.h"
#include "support/gcs_server/fields.h"

namespace kinetic::gcs_server {

Reply ResourceReply(const Call& call, const nlohmann::json& resource) {
  const auto fields = call.request.Query("fields");
  if (!fields) return JsonReply(resource);
  const auto selected = SelectFields(resource, *fields);
  return selected ? JsonReply(*selected) : selected.error();
}

Reply ObjectReply(const Call& call, const Object& object) {
  Reply reply = ResourceReply(call, ResourceOf(object, call.request.Origin()));
  reply.headers.Add("ETag", EtagOf(object));
  return reply;
}

Outcome<nlohmann::json> ReadResource(Call& call) {
  const auto body = ReadAll(call.body);
  if (!body) return Refuse(Invalid("The body is too long or was cut short."));
  return ParseResource(*body);
}

Storage::Check WriteCheck(const Call& call, Preconditions conditions) {
  return [&call, conditions = std::move(conditions)](const Object* live) -> Outcome<void> {
    if (live != nullptr) {
      const auto may =
          call.grant.Require("storage.objects.delete", live->bucket + "/" + live->name);
      if (!may) return may;
    }
    return conditions.Check(live);
  };
}

}  // namespace kinetic::gcs_server
