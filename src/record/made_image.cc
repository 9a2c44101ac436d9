#include "record/made_image.h"

#include "base/try.h"
#include "json/document.h"
#include "record/layout.h"
#include "record/members.h"

#include <utility>

namespace kinetic::record {
namespace {

constexpr std::int64_t kVersion = 1;
constexpr std::string_view kWhere = "made image";

}  // namespace

std::string ToJson(const MadeImage& image) {
  return json::WriteDocument(
      Value::Map{{"version", Value(kVersion)}, {"image", image.image}, {"key", image.key.Hex()}});
}

Result<MadeImage> MadeImageFromJson(std::string_view json) {
  KINETIC_ASSIGN_OR_RETURN(const Value value, json::ReadDocument(json, kWhere));
  json::ObjectReader reader(value, std::string(kWhere));
  CheckVersion(reader, kVersion);
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  MadeImage image;
  image.image = ReadText(reader, "image");
  image.key = ReadDigest(reader, "key");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return image;
}

Status WriteMadeImage(store::Store& store, const MadeImage& image, std::stop_token stop) {
  return store::Overwrite(store, MadeImageName(image.image), ToJson(image), std::move(stop));
}

Status TouchMadeImage(store::Store& store, std::string_view image, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(store.Touch(MadeImageName(image), {}, std::move(stop)));
  return {};
}

}  // namespace kinetic::record
