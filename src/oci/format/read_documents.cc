#include "kinetic/try.h"

#include "base/strings.h"
#include "json/document.h"
#include "oci/format/documents.h"
#include "oci/format/reference.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::array kManifestTypes{media_type::kManifest, media_type::kDockerManifest};
constexpr std::array kConfigTypes{media_type::kConfig, media_type::kDockerConfig};
constexpr std::array kLayerTypes{media_type::kLayer,           media_type::kLayerGzip,
                                 media_type::kLayerZstd,       media_type::kDockerLayer,
                                 media_type::kDockerLayerGzip, media_type::kDockerLayerZstd};

/// Returns the constant that equals `text`, or nullopt.
template <std::size_t kSize>
std::optional<std::string_view> FindMediaType(const std::array<std::string_view, kSize>& types,
                                              std::string_view text) {
  const auto* const type = std::ranges::find(types, text);
  return type != types.end() ? std::optional(*type) : std::nullopt;
}

/// Reads digest and size. Callers set the media type.
Result<Descriptor> ReadDescriptor(const Value& value, const std::string& where) {
  json::ObjectReader reader(value, where);
  Descriptor descriptor;
  const auto digest = ParseDigest(reader.String("digest"));
  if (!digest) reader.Reject("digest", "not a SHA-256 digest");
  const std::int64_t size = reader.Int("size");
  if (size < 0) reader.Reject("size", "negative");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  descriptor.digest = *digest;
  descriptor.size_bytes = static_cast<std::uint64_t>(size);
  return descriptor;
}

std::string MediaTypeOf(const Value& value) {
  const Value* const type = value.Find("mediaType");
  return type != nullptr && type->AsString() != nullptr ? *type->AsString() : "";
}

/// Returns whether a layer is not distributed through registries.
bool IsForeign(const Value& value, const std::string& type) {
  const Value* const urls = value.Find("urls");
  return (urls != nullptr && urls->AsList() != nullptr && !urls->AsList()->empty()) ||
         type.find(".nondistributable.") != std::string::npos ||
         type.find(".foreign.") != std::string::npos;
}

Result<Descriptor> ReadLayer(const Value& value, const std::string& where) {
  KINETIC_ASSIGN_OR_RETURN(Descriptor layer, ReadDescriptor(value, where));
  const std::string type = MediaTypeOf(value);
  if (IsForeign(value, type)) {
    return Fail(ErrorCode::kUnimplemented,
                where + ": " + DigestString(layer.digest) + " is stored outside the registry",
                "choose an image with all layers in its registry");
  }
  const auto known = FindMediaType(kLayerTypes, type);
  if (!known) {
    return Fail(ErrorCode::kUnimplemented, where + ": " + DigestString(layer.digest) + " is '" +
                                               Printable(type) +
                                               "', which kinetic does not support");
  }
  layer.media_type = *known;
  return layer;
}

Platform PlatformFrom(json::ObjectReader& reader) {
  return {reader.OptionalString("os").value_or(""),
          reader.OptionalString("architecture").value_or(""),
          reader.OptionalString("variant").value_or("")};
}

}  // namespace

std::string Platform::Text() const {
  const bool is_plain = variant.empty() || (architecture == "arm64" && variant == "v8") ||
                        (architecture == "amd64" && variant == "v1");
  return (os == "linux" ? "" : os + "/") + architecture + (is_plain ? "" : "/" + variant);
}

Result<DocumentKind> DetectDocumentKind(const Value& document, const std::string& where) {
  const Value* const version = document.Find("schemaVersion");
  if (version != nullptr && *version == Value(1)) {
    return Fail(
        ErrorCode::kUnimplemented,
        where + ": the image uses Docker's manifest schema 1, which has been obsolete since 2016",
        "choose a newer image");
  }
  const bool is_index = document.Find("manifests") != nullptr;
  const bool is_manifest = document.Find("layers") != nullptr;
  // A document that can be read in two ways is an attack.
  if (is_index == is_manifest) {
    return Fail(ErrorCode::kDataLoss, where + ": not an image manifest");
  }
  return is_index ? DocumentKind::kIndex : DocumentKind::kManifest;
}

Result<std::vector<IndexEntry>> ReadIndex(const Value& document, const std::string& where) {
  json::ObjectReader reader(document, where);
  std::vector<IndexEntry> entries;
  for (const Value& value : reader.List("manifests")) {
    const auto type = FindMediaType(kManifestTypes, MediaTypeOf(value));
    const Value* const platform = value.Find("platform");
    if (!type || platform == nullptr) continue;
    json::ObjectReader platform_reader(*platform, where);
    IndexEntry entry{{}, PlatformFrom(platform_reader)};
    KINETIC_RETURN_IF_ERROR(platform_reader.Finish());
    if (entry.platform.os == "unknown") continue;
    KINETIC_ASSIGN_OR_RETURN(entry.manifest, ReadDescriptor(value, where));
    entry.manifest.media_type = *type;
    entries.push_back(std::move(entry));
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return entries;
}

Result<Manifest> ReadManifest(const Value& document, const std::string& where) {
  json::ObjectReader reader(document, where);
  const Value* const config = reader.Member("config");
  if (config == nullptr)
    return Fail(ErrorCode::kDataLoss, where + ": the image has no configuration");
  Manifest manifest;
  KINETIC_ASSIGN_OR_RETURN(manifest.config, ReadDescriptor(*config, where));
  const auto type = FindMediaType(kConfigTypes, MediaTypeOf(*config));
  if (!type) {
    return Fail(ErrorCode::kFailedPrecondition,
                where + ": not a container image: its configuration is of type '" +
                    Printable(MediaTypeOf(*config)) + "'");
  }
  manifest.config.media_type = *type;
  for (const Value& value : reader.List("layers")) {
    KINETIC_ASSIGN_OR_RETURN(Descriptor layer, ReadLayer(value, where));
    manifest.layers.push_back(layer);
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return manifest;
}

Result<Platform> ReadPlatform(const Value& config, const std::string& where) {
  json::ObjectReader reader(config, where);
  Platform platform = PlatformFrom(reader);
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return platform;
}

}  // namespace kinetic::oci
