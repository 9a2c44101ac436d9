#include "oci/format/documents.h"
#include "oci/format/reference.h"

namespace kinetic::oci {
namespace {

constexpr const char* kOs = "linux";

Value::Map ToValue(const Descriptor& descriptor) {
  return {{"mediaType", std::string(descriptor.media_type)},
          {"digest", DigestString(descriptor.digest)},
          {"size", static_cast<std::int64_t>(descriptor.size_bytes)}};
}

Value::List ToValue(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

}  // namespace

Value ConfigDocument(const ImageConfig& config, std::span<const Layer> layers) {
  Value::Map labels;
  for (const auto& [key, value] : config.labels) labels.emplace_back(key, value);
  Value::List diff_ids;
  Value::List history;
  for (const Layer& layer : layers) {
    diff_ids.emplace_back(DigestString(layer.diff_id));
    history.emplace_back(Value::Map{{"created", kCreationTime}, {"created_by", "kinetic"}});
  }
  return Value::Map{{"created", kCreationTime},
                    {"architecture", config.architecture},
                    {"os", kOs},
                    {"config", Value::Map{{"Env", ToValue(config.environment)},
                                          {"Entrypoint", ToValue(config.entrypoint)},
                                          {"WorkingDir", config.working_folder},
                                          {"Labels", std::move(labels)}}},
                    {"rootfs", Value::Map{{"type", "layers"}, {"diff_ids", std::move(diff_ids)}}},
                    {"history", std::move(history)}};
}

Value ManifestDocument(const Descriptor& config, std::span<const Layer> layers) {
  Value::List blobs;
  for (const Layer& layer : layers) blobs.emplace_back(ToValue(layer.blob));
  return Value::Map{{"schemaVersion", 2},
                    {"mediaType", std::string(media_type::kManifest)},
                    {"config", ToValue(config)},
                    {"layers", std::move(blobs)}};
}

Value IndexDocument(const Descriptor& manifest, const Reference& name,
                    const std::string& architecture) {
  Value::Map entry = ToValue(manifest);
  entry.emplace_back("platform", Value::Map{{"architecture", architecture}, {"os", kOs}});
  entry.emplace_back("annotations", Value::Map{{"io.containerd.image.name", name.Text()},
                                               {"org.opencontainers.image.ref.name", name.tag}});
  return Value::Map{{"schemaVersion", 2},
                    {"mediaType", std::string(media_type::kIndex)},
                    {"manifests", Value::List{std::move(entry)}}};
}

}  // namespace kinetic::oci
