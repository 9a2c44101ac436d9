#include "env/resolve/build_request.h"

#include "kinetic/try.h"

#include "env/dependencies/index_settings.h"
#include "env/packages/stored_packages.h"
#include "env/resolve/resolver.h"
#include "json/document.h"

#include <utility>

namespace kinetic::env {
namespace {

constexpr std::int64_t kRequestVersion = 1;
constexpr std::string_view kWhere = "package build request";

Value ManifestValue(const Manifest& manifest) {
  return Value::Map{{"key", manifest.Key().Hex()},
                    {"python", manifest.python},
                    {"platform", manifest.platform},
                    {"accelerator", manifest.accelerator},
                    {"base_image", manifest.base_image},
                    {"index", ToValue(manifest.index)},
                    {"extras", ToStringList(manifest.extras)},
                    {"groups", ToStringList(manifest.groups)},
                    {"requirements", ToStringList(manifest.requirements)},
                    {"constraints", ToStringList(manifest.constraints)}};
}

Result<Manifest> ManifestFromValue(const Value& value) {
  json::ObjectReader reader(value, std::string(kWhere) + ": manifest");
  Manifest manifest;
  manifest.for_pod = true;
  manifest.python = reader.String("python");
  manifest.platform = reader.String("platform");
  manifest.accelerator = reader.String("accelerator");
  manifest.base_image = reader.String("base_image");
  manifest.extras = ReadStringList(reader, "extras");
  manifest.groups = ReadStringList(reader, "groups");
  manifest.requirements = ReadStringList(reader, "requirements");
  manifest.constraints = ReadStringList(reader, "constraints");
  if (const Value* const index = reader.Member("index")) {
    KINETIC_ASSIGN_OR_RETURN(manifest.index,
                             IndexSettingsFromValue(*index, std::string(kWhere) + ": index"));
  }
  // A different key means that another version of kinetic uses other inputs.
  if (reader.String("key") != manifest.Key().Hex()) {
    reader.Reject("key", "created by another version of kinetic");
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return manifest;
}

}  // namespace

std::string ToJson(const BuildRequest& request) {
  Value::Map members{{"version", kRequestVersion},
                     {"manifest", ManifestValue(request.manifest)},
                     {"base_digest", request.base_digest},
                     {"renew", request.renew},
                     {"prefix", request.prefix}};
  if (request.lock) members.emplace_back("lock", ToJson(*request.lock));
  return json::WriteDocument(std::move(members));
}

Result<BuildRequest> BuildRequestFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, kWhere));
  json::ObjectReader reader(value, std::string(kWhere));
  BuildRequest request;
  if (reader.Int("version") != kRequestVersion) {
    reader.Reject("version", "created by another version of kinetic");
  }
  request.base_digest = reader.String("base_digest");
  request.renew = reader.Bool("renew");
  request.prefix = reader.String("prefix");
  const Value* const manifest = reader.Member("manifest");
  if (manifest == nullptr) reader.Reject("manifest", "expected a map, found nothing");
  const auto lock = reader.OptionalString("lock");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  KINETIC_ASSIGN_OR_RETURN(request.manifest, ManifestFromValue(*manifest));
  if (lock) {
    KINETIC_ASSIGN_OR_RETURN(request.lock, LockFromJson(*lock));
  }
  return request;
}

Status Execute(BuildRequest request, PrivateUrls private_urls, store::Store& store,
               const ToolOptions& tools, Observer* observer, std::stop_token stop) {
  request.manifest.private_urls = private_urls;
  if (!request.lock) {
    const LockOptions options{
        .locked = false,
        .relock = request.renew,
        .tools = tools,
        .base_digest = [&](const std::stop_token& /*stop*/) { return request.base_digest; }};
    KINETIC_ASSIGN_OR_RETURN(auto obtained,
                             ObtainLock(store, request.manifest, options, observer, stop));
    request.lock = std::move(obtained.lock);
  }
  if (request.prefix.empty()) return {};
  const auto builder = MakeArchivesBuilder({.tools = tools,
                                            .private_urls = std::move(private_urls),
                                            .store = store,
                                            .prefix = request.prefix});
  const auto ready = builder->Ensure(*request.lock, observer, std::move(stop));
  if (!ready) return Failure(ready.error());
  return {};
}

}  // namespace kinetic::env
