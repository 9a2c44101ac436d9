#include "base/strings.h"
#include "support/gcs_server/crc32c.h"
#include "support/gcs_server/errors.h"
#include "support/gcs_server/handlers.h"

namespace kinetic::gcs_server {
namespace {

using nlohmann::json;

constexpr std::size_t kSources = 32;

Outcome<std::optional<std::int64_t>> GenerationOf(const json& source) {
  const auto given = source.find("generation");
  if (given == source.end() || given->is_null()) return std::nullopt;
  const std::string text = given->is_string() ? given->get<std::string>() : given->dump();
  const auto number = ParseInt(text);
  if (!number) return Refuse(InvalidArgument("generation", text));
  return number;
}

Outcome<ObjectPtr> FindSource(const Call& call, const std::string& bucket, const json& source) {
  if (!source.is_object() || !source.contains("name") || !source["name"].is_string()) {
    return Refuse(Invalid("A source object has no name."));
  }
  const auto generation = GenerationOf(source);
  if (!generation) return Refuse(generation.error());
  const auto conditions = Preconditions::OfSource(source);
  if (!conditions) return Refuse(conditions.error());
  auto object = call.state.storage.Find(bucket, source["name"].get<std::string>(), *generation);
  if (!object) return object;
  if (auto checked = conditions->Check(object->get()); !checked) return Refuse(checked.error());
  return object;
}

void Append(const Object& source, Object& composed) {
  composed.crc32c = CombineCrc32c(composed.crc32c, source.crc32c, source.content.size_bytes());
  composed.content.Append(source.content);
  composed.components += std::max(source.components, 1);
}

Outcome<Object> ComposeFrom(const Call& call, const std::string& bucket, const json& sources) {
  Object composed;
  for (const json& source : sources) {
    const auto object = FindSource(call, bucket, source);
    if (!object) return Refuse(object.error());
    Append(**object, composed);
  }
  return composed;
}

}  // namespace

Reply Compose(Call& call, const std::string& bucket, const std::string& name) {
  for (const char* permission : {"storage.objects.create", "storage.objects.get"}) {
    if (auto may = call.grant.Require(permission, bucket + "/" + name); !may) return may.error();
  }
  const auto body = ReadResource(call);
  if (!body) return body.error();
  if (body->value("deleteSourceObjects", false)) return NotImplemented("deleteSourceObjects");
  const json sources = body->value("sourceObjects", json::array());
  if (!sources.is_array() || sources.empty()) {
    return Invalid("You must provide at least one source component.");
  }
  if (sources.size() > kSources) {
    return Invalid("The number of source components provided (" + std::to_string(sources.size()) +
                   ") exceeds the maximum (32).");
  }
  auto conditions = Preconditions::Of(call.request);
  if (!conditions) return conditions.error();
  auto attributes = ReadAttributes(body->value("destination", json::object()));
  if (!attributes) return attributes.error();
  auto composed = ComposeFrom(call, bucket, sources);
  if (!composed) return composed.error();
  composed->bucket = bucket;
  composed->name = name;
  composed->attributes = *std::move(attributes);
  const auto stored =
      call.state.storage.Put(*std::move(composed), WriteCheck(call, *std::move(conditions)));
  return stored ? ObjectReply(call, **stored) : stored.error();
}

}  // namespace kinetic::gcs_server
