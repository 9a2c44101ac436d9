#include "kinetic/try.h"

#include "kube/object.h"

#include <string>

namespace kinetic::kube {
namespace {

Status Check(std::string_view what, std::size_t bytes, std::size_t limit, std::string hint) {
  if (bytes <= limit) return {};
  return Fail(ErrorCode::kInvalidArgument,
              std::string(what) + " has " + std::to_string(bytes) + " bytes, " +
                  std::to_string(bytes - limit) + " more than Kubernetes allows",
              std::move(hint));
}

/// Returns the size of a map of strings. @param encoded  the values are base64.
std::size_t TextBytes(const Value* map, bool keys, bool encoded) {
  std::size_t bytes = 0;
  if (map == nullptr || map->AsMap() == nullptr) return 0;
  for (const auto& [key, value] : *map->AsMap()) {
    if (keys) bytes += key.size();
    const std::string* text = value.AsString();
    if (text == nullptr) continue;
    std::size_t size = text->size();
    if (encoded) {
      const std::size_t end = text->find_last_not_of('=');
      size = end == std::string::npos ? 0 : (end + 1) * 3 / 4;
    }
    bytes += size;
  }
  return bytes;
}

Status CheckAnnotations(const Value* metadata, std::string_view what) {
  if (metadata == nullptr) return {};
  return Check(what, TextBytes(metadata->Find("annotations"), true, false), kMaxAnnotationBytes,
               "shorten the annotations");
}

}  // namespace

Status CheckSize(const Value& object, std::size_t json_bytes) {
  const std::size_t data =
      TextBytes(object.Find("data"), false, TextAt(object, {"kind"}) == "Secret") +
      TextBytes(object.Find("stringData"), false, false) +
      TextBytes(object.Find("binaryData"), false, true);
  KINETIC_RETURN_IF_ERROR(Check("the data", data, kMaxDataBytes,
                                "pass large values as files of the job, not as secrets"));
  KINETIC_RETURN_IF_ERROR(CheckAnnotations(object.Find("metadata"), "metadata.annotations"));
  KINETIC_RETURN_IF_ERROR(CheckAnnotations(At(object, {"spec", "template", "metadata"}),
                                           "spec.template.metadata.annotations"));
  return Check("the object", json_bytes, kMaxObjectBytes, "move large arguments to files");
}

}  // namespace kinetic::kube
