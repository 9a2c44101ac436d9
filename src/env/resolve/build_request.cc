#include "env/resolve/build_request.h"

#include "base/try.h"
#include "env/dependencies/index_json.h"
#include "env/packages/archives.h"
#include "env/resolve/lock_store.h"
#include "json/document.h"
#include "json/reader.h"

#include <utility>

namespace kinetic::env {
namespace {

constexpr std::int64_t kOrderVersion = 1;
constexpr std::string_view kWhere = "the order of packages";

Value ManifestValue(const Manifest& manifest) {
  return Value::Map{{"key", manifest.Key().Hex()},
                    {"python", manifest.python},
                    {"platform", manifest.platform},
                    {"accelerator", manifest.accelerator},
                    {"base_image", manifest.base_image},
                    {"index", ToValue(manifest.index)},
                    {"extras", ToList(manifest.extras)},
                    {"groups", ToList(manifest.groups)},
                    {"requirements", ToList(manifest.requirements)},
                    {"constraints", ToList(manifest.constraints)}};
}

Result<Manifest> ManifestFromValue(const Value& value) {
  json::ObjectReader reader(value, std::string(kWhere) + ": manifest");
  Manifest manifest;
  manifest.for_pod = true;
  manifest.python = reader.String("python");
  manifest.platform = reader.String("platform");
  manifest.accelerator = reader.String("accelerator");
  manifest.base_image = reader.String("base_image");
  manifest.extras = TextsAt(reader, "extras");
  manifest.groups = TextsAt(reader, "groups");
  manifest.requirements = TextsAt(reader, "requirements");
  manifest.constraints = TextsAt(reader, "constraints");
  if (const Value* const index = reader.Member("index")) {
    KINETIC_ASSIGN_OR_RETURN(manifest.index,
                             IndexFromValue(*index, std::string(kWhere) + ": index"));
  }
  // The key says all that has a say in what is resolved, also what another version would add.
  if (reader.String("key") != manifest.Key().Hex()) {
    reader.Reject("key", "made by another version of kinetic");
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return manifest;
}

}  // namespace

std::string ToJson(const PackagesOrder& order) {
  Value::Map members{{"version", kOrderVersion},
                     {"manifest", ManifestValue(order.manifest)},
                     {"base_digest", order.base_digest},
                     {"renew", order.renew},
                     {"prefix", order.prefix}};
  if (order.lock) members.emplace_back("lock", ToJson(*order.lock));
  return json::WriteDocument(std::move(members));
}

Result<PackagesOrder> PackagesOrderFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, kWhere));
  json::ObjectReader reader(value, std::string(kWhere));
  PackagesOrder order;
  if (reader.Int("version") != kOrderVersion) {
    reader.Reject("version", "made by another version of kinetic");
  }
  order.base_digest = reader.String("base_digest");
  order.renew = reader.Bool("renew");
  order.prefix = reader.String("prefix");
  const Value* const manifest = reader.Member("manifest");
  if (manifest == nullptr) reader.Reject("manifest", "expected a map, found nothing");
  const auto lock = reader.OptionalString("lock");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  KINETIC_ASSIGN_OR_RETURN(order.manifest, ManifestFromValue(*manifest));
  if (lock) {
    KINETIC_ASSIGN_OR_RETURN(order.lock, LockFromJson(*lock));
  }
  return order;
}

Status CarryOut(PackagesOrder order, PrivateUrls private_urls, store::Store& store,
                const ToolOptions& tools, Observer* observer, std::stop_token stop) {
  order.manifest.private_urls = private_urls;
  if (!order.lock) {
    const LockOptions options{
        .locked = false,
        .relock = order.renew,
        .tools = tools,
        .base_digest = [&](const std::stop_token& /*stop*/) { return order.base_digest; }};
    KINETIC_ASSIGN_OR_RETURN(auto obtained,
                             ObtainLock(store, order.manifest, options, observer, stop));
    order.lock = std::move(obtained.lock);
  }
  if (order.prefix.empty()) return {};
  const auto builder = MakeArchivesBuilder({.tools = tools,
                                            .private_urls = std::move(private_urls),
                                            .store = store,
                                            .prefix = order.prefix});
  const auto ready = builder->Ensure(*order.lock, observer, std::move(stop));
  if (!ready) return Failure(ready.error());
  return {};
}

}  // namespace kinetic::env
