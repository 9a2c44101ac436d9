#include "kinetic/try.h"

#include "json/document.h"
#include "record/json_fields.h"
#include "record/object_names.h"
#include "record/packages/objects.h"

#include <utility>

namespace kinetic::record {
namespace {

constexpr std::int64_t kImageRecordVersion = 1;
constexpr std::int64_t kStoredLayerVersion = 1;
constexpr std::string_view kImageRecordKind = "image record";
constexpr std::string_view kStoredLayerKind = "stored layer";
constexpr std::uint64_t kMaxStoredLayerBytes = 1U << 16;

}  // namespace

std::string ToJson(const ImageRecord& image) {
  return json::WriteDocument(Value::Map{
      {"version", Value(kImageRecordVersion)}, {"image", image.image}, {"key", image.key.Hex()}});
}

Result<ImageRecord> ImageRecordFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, kImageRecordKind));
  json::ObjectReader reader(value, std::string(kImageRecordKind));
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kImageRecordVersion));
  ImageRecord image;
  image.image = ReadText(reader, "image");
  image.key = ReadDigest(reader, "key");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return image;
}

Status WriteImageRecord(store::Store& store, const ImageRecord& image, std::stop_token stop) {
  return store::Overwrite(store, ImageRecordName(image.image), ToJson(image), std::move(stop));
}

Status TouchImageRecord(store::Store& store, std::string_view image, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store.Touch(ImageRecordName(image), {}, std::move(stop)));
  return {};
}

std::string ToJson(const StoredLayer& layer) {
  return json::WriteDocument(Value::Map{{"version", Value(kStoredLayerVersion)},
                                        {"blob", layer.blob.Hex()},
                                        {"bytes", CountValue(layer.bytes)},
                                        {"diff_id", layer.diff_id.Hex()},
                                        {"content_bytes", CountValue(layer.content_bytes)}});
}

Result<StoredLayer> StoredLayerFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, kStoredLayerKind));
  json::ObjectReader reader(value, std::string(kStoredLayerKind));
  KINETIC_RETURN_IF_ERROR(CheckVersion(reader, kStoredLayerVersion));
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
  KINETIC_ASSIGN_OR_RETURN(
      const auto json,
      store::GetAndRenew(store, LayerName(key), kMaxStoredLayerBytes, std::move(stop)));
  if (!json) return std::optional<StoredLayer>();
  auto layer = StoredLayerFromJson(*json);
  if (!layer) return std::optional<StoredLayer>();  // it will be built again
  return std::optional(*std::move(layer));
}

Status WriteStoredLayer(store::Store& store, const Digest& key, const StoredLayer& layer,
                        std::stop_token stop) {
  return store::Overwrite(store, LayerName(key), ToJson(layer), std::move(stop));
}

}  // namespace kinetic::record
