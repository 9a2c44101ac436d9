#include "record/stored_layer.h"

#include "base/try.h"
#include "json/document.h"
#include "record/layout.h"
#include "record/members.h"
#include "store/get_kept.h"

#include <utility>

namespace kinetic::record {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::string_view kWhere = "stored layer";
constexpr std::uint64_t kMaxBytes = 1U << 16;

}  // namespace

std::string ToJson(const StoredLayer& layer) {
  return json::WriteDocument(Value::Map{{"version", Value(kVersion)},
                                        {"blob", layer.blob.Hex()},
                                        {"bytes", CountValue(layer.bytes)},
                                        {"diff_id", layer.diff_id.Hex()},
                                        {"content_bytes", CountValue(layer.content_bytes)}});
}

Result<StoredLayer> StoredLayerFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, kWhere));
  json::ObjectReader reader(value, std::string(kWhere));
  CheckVersion(reader, kVersion);
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  StoredLayer layer;
  layer.blob = ReadDigest(reader, "blob");
  layer.bytes = ReadCount(reader, "bytes");
  layer.diff_id = ReadDigest(reader, "diff_id");
  layer.content_bytes = ReadCount(reader, "content_bytes");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return layer;
}

Result<std::optional<StoredLayer>> ReadStoredLayer(store::Store& store, const Digest& key,
                                                   std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto json,
                           store::GetKept(store, LayerName(key), kMaxBytes, std::move(stop)));
  if (!json) return std::optional<StoredLayer>();
  auto layer = StoredLayerFromJson(*json);
  if (!layer) return std::optional<StoredLayer>();  // it is made again
  return std::optional(*std::move(layer));
}

Status WriteStoredLayer(store::Store& store, const Digest& key, const StoredLayer& layer,
                        std::stop_token stop) {
  return store::Overwrite(store, LayerName(key), ToJson(layer), std::move(stop));
}

}  // namespace kinetic::record
