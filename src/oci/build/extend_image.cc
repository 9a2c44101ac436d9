#include "oci/build/extend_image.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "oci/format/documents.h"
#include "oci/format/reference.h"
#include "oci/registry/repository.h"

#include <algorithm>
#include <string_view>

namespace kinetic::oci {
namespace {

std::string_view NameOfAssignment(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

/// Returns a field as a list or map, empty if it is missing or of another type.
template <typename T>
T FieldOr(const Value& value, std::string_view key, const T* (Value::*as)() const) {
  const Value* const member = value.Find(key);
  const T* const found = member != nullptr ? (member->*as)() : nullptr;
  return found != nullptr ? *found : T();
}

void SetVariable(Value::List& environment, const std::string& assignment) {
  const auto same = std::ranges::find_if(environment, [&](const Value& known) {
    const std::string* const text = known.AsString();
    return text != nullptr && NameOfAssignment(*text) == NameOfAssignment(assignment);
  });
  if (same != environment.end()) {
    *same = assignment;
  } else {
    environment.emplace_back(assignment);
  }
}

Value ExtendedSettings(const Value& config, const ImageExtension& extension) {
  Value settings = FieldOr(config, "config", &Value::AsMap);
  if (!extension.environment.empty()) {
    Value::List environment = FieldOr(settings, "Env", &Value::AsList);
    for (const std::string& assignment : extension.environment) {
      SetVariable(environment, assignment);
    }
    settings.Set("Env", std::move(environment));
  }
  if (!extension.labels.empty()) {
    Value labels = FieldOr(settings, "Labels", &Value::AsMap);
    for (const auto& [key, value] : extension.labels) labels.Set(key, value);
    settings.Set("Labels", std::move(labels));
  }
  return settings;
}

/// @errors  kDataLoss.
Result<Value> ExtendedFileSystem(const Value& config, const RegistryImage& base,
                                 const ImageExtension& extension) {
  Value file_system = FieldOr(config, "rootfs", &Value::AsMap);
  Value::List diff_ids = FieldOr(file_system, "diff_ids", &Value::AsList);
  const auto is_digest = [](const Value& id) {
    return id.AsString() != nullptr && ParseDigest(*id.AsString());
  };
  const auto declared = static_cast<std::size_t>(std::ranges::count_if(diff_ids, is_digest));
  if (declared != base.layers.size() || declared != diff_ids.size()) {
    return Fail(ErrorCode::kDataLoss,
                base.name + ": its configuration lists " + std::to_string(declared) +
                    " layers, but its manifest lists " + std::to_string(base.layers.size()),
                "choose another image, or build it again");
  }
  for (const Layer& layer : extension.layers) diff_ids.emplace_back(DigestString(layer.diff_id));
  file_system.Set("type", "layers");
  file_system.Set("diff_ids", std::move(diff_ids));
  return file_system;
}

bool CreatesLayer(const Value& step) {
  const Value* const empty = step.Find("empty_layer");
  return empty == nullptr || *empty != Value(true);
}

Value::Map HistoryStep(const std::string& comment) {
  Value::Map step{{"created", kCreationTime}, {"created_by", "kinetic"}};
  if (!comment.empty()) step.emplace_back("comment", comment);
  return step;
}

/// Tools match the steps of a history to layers, except for those with `empty_layer`.
Value::List ExtendedHistory(const Value& config, const RegistryImage& base,
                            const ImageExtension& extension) {
  Value::List history = FieldOr(config, "history", &Value::AsList);
  const auto declared = static_cast<std::size_t>(std::ranges::count_if(history, CreatesLayer));
  for (std::size_t i = declared; i < base.layers.size(); ++i) {
    history.emplace_back(
        Value::Map{{"created", kCreationTime}, {"comment", "not described by the image"}});
  }
  for (std::size_t i = 0; i < extension.layers.size(); ++i) {
    history.emplace_back(HistoryStep(extension.comment));
  }
  if (extension.layers.empty()) {
    Value::Map step = HistoryStep(extension.comment);
    step.emplace_back("empty_layer", true);
    history.emplace_back(std::move(step));
  }
  return history;
}

std::string_view ToOciMediaType(std::string_view type) {
  if (type == media_type::kDockerLayer) return media_type::kLayer;
  if (type == media_type::kDockerLayerGzip) return media_type::kLayerGzip;
  if (type == media_type::kDockerLayerZstd) return media_type::kLayerZstd;
  return type;
}

std::string ExtendedManifest(const Descriptor& config, const RegistryImage& base,
                             const ImageExtension& extension) {
  std::vector<Layer> layers;
  layers.reserve(base.layers.size() + extension.layers.size());
  for (Descriptor blob : base.layers) {
    blob.media_type = ToOciMediaType(blob.media_type);
    layers.push_back({.blob = blob, .diff_id = {}});
  }
  layers.insert(layers.end(), extension.layers.begin(), extension.layers.end());
  return ManifestDocument(config, layers).ToJson();
}

Descriptor DescriptorOf(std::string_view type, const std::string& bytes) {
  return {type, Sha256::Of(bytes), bytes.size()};
}

}  // namespace

Result<ExtendedImage> ExtendImage(const RegistryImage& base, const ImageExtension& extension) {
  auto config = Value::FromJson(base.config_json);
  if (!config || config->AsMap() == nullptr) {
    return Fail(ErrorCode::kDataLoss, base.name + ": its configuration is not a JSON object");
  }
  KINETIC_ASSIGN_OR_RETURN(Value file_system, ExtendedFileSystem(*config, base, extension));
  config->Set("created", kCreationTime);
  config->Set("config", ExtendedSettings(*config, extension));
  config->Set("rootfs", std::move(file_system));
  config->Set("history", ExtendedHistory(*config, base, extension));
  ExtendedImage image;
  image.config_json = config->ToJson();
  image.config = DescriptorOf(media_type::kConfig, image.config_json);
  image.manifest_json = ExtendedManifest(image.config, base, extension);
  image.manifest = DescriptorOf(media_type::kManifest, image.manifest_json);
  return image;
}

}  // namespace kinetic::oci
