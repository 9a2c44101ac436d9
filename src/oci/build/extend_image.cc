#include "oci/build/extend_image.h"

#include "kinetic/value.h"

#include "base/try.h"
#include "oci/format/descriptor.h"
#include "oci/format/documents.h"
#include "oci/registry/repository.h"

#include <algorithm>
#include <string_view>

namespace kinetic::oci {
namespace {

std::string_view NameOfAssignment(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

/// A member as the list or map that it is to be; an empty one when it is none.
template <typename T>
T MemberOr(const Value& value, std::string_view key, const T* (Value::*as)() const) {
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

/// How containers are started from it.
Value ExtendedSettings(const Value& config, const ImageExtension& extension) {
  Value settings = MemberOr(config, "config", &Value::AsMap);
  if (!extension.environment.empty()) {
    Value::List environment = MemberOr(settings, "Env", &Value::AsList);
    for (const std::string& assignment : extension.environment) {
      SetVariable(environment, assignment);
    }
    settings.Set("Env", std::move(environment));
  }
  if (!extension.labels.empty()) {
    Value labels = MemberOr(settings, "Labels", &Value::AsMap);
    for (const auto& [key, value] : extension.labels) labels.Set(key, value);
    settings.Set("Labels", std::move(labels));
  }
  return settings;
}

/// @errors  kDataLoss.
Result<Value> ExtendedFileSystem(const Value& config, const RegistryImage& base,
                                 const ImageExtension& extension) {
  Value file_system = MemberOr(config, "rootfs", &Value::AsMap);
  Value::List diff_ids = MemberOr(file_system, "diff_ids", &Value::AsList);
  const auto is_digest = [](const Value& id) {
    return id.AsString() != nullptr && DigestIn(*id.AsString());
  };
  const auto told = static_cast<std::size_t>(std::ranges::count_if(diff_ids, is_digest));
  if (told != base.layers.size() || told != diff_ids.size()) {
    return Fail(ErrorCode::kDataLoss,
                base.name + ": its configuration tells of " + std::to_string(told) +
                    " layers, its manifest of " + std::to_string(base.layers.size()),
                "choose another image, or make this one anew");
  }
  for (const Layer& layer : extension.layers) diff_ids.emplace_back(NameOf(layer.diff_id));
  file_system.Set("type", "layers");
  file_system.Set("diff_ids", std::move(diff_ids));
  return file_system;
}

bool MadeALayer(const Value& step) {
  const Value* const empty = step.Find("empty_layer");
  return empty == nullptr || *empty != Value(true);
}

Value::Map HistoryStep(const std::string& note) {
  Value::Map step{{"created", kCreated}, {"created_by", "kinetic"}};
  if (!note.empty()) step.emplace_back("comment", note);
  return step;
}

/// Whoever reads a history takes its steps for the layers, those aside that say to have made none.
Value::List ExtendedHistory(const Value& config, const RegistryImage& base,
                            const ImageExtension& extension) {
  Value::List history = MemberOr(config, "history", &Value::AsList);
  const auto told = static_cast<std::size_t>(std::ranges::count_if(history, MadeALayer));
  for (std::size_t i = told; i < base.layers.size(); ++i) {
    history.emplace_back(Value::Map{{"created", kCreated}, {"comment", "not told by the image"}});
  }
  for (std::size_t i = 0; i < extension.layers.size(); ++i) {
    history.emplace_back(HistoryStep(extension.note));
  }
  if (extension.layers.empty()) {
    Value::Map step = HistoryStep(extension.note);
    step.emplace_back("empty_layer", true);
    history.emplace_back(std::move(step));
  }
  return history;
}

std::string_view OciType(std::string_view type) {
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
    blob.media_type = OciType(blob.media_type);
    layers.push_back({.blob = blob, .diff_id = {}});
  }
  layers.insert(layers.end(), extension.layers.begin(), extension.layers.end());
  return ManifestDocument(config, layers).ToJson();
}

Descriptor DescriptionOf(std::string_view type, const std::string& bytes) {
  return {type, Sha256::Of(bytes), bytes.size()};
}

}  // namespace

Result<ExtendedImage> ExtendImage(const RegistryImage& base, const ImageExtension& extension) {
  auto config = Value::FromJson(base.config_json);
  if (!config || config->AsMap() == nullptr) {
    return Fail(ErrorCode::kDataLoss, base.name + ": its configuration is no JSON object");
  }
  KINETIC_ASSIGN_OR_RETURN(Value file_system, ExtendedFileSystem(*config, base, extension));
  config->Set("created", kCreated);
  config->Set("config", ExtendedSettings(*config, extension));
  config->Set("rootfs", std::move(file_system));
  config->Set("history", ExtendedHistory(*config, base, extension));
  ExtendedImage image;
  image.config_json = config->ToJson();
  image.config = DescriptionOf(media_type::kConfig, image.config_json);
  image.manifest_json = ExtendedManifest(image.config, base, extension);
  image.manifest = DescriptionOf(media_type::kManifest, image.manifest_json);
  return image;
}

}  // namespace kinetic::oci
