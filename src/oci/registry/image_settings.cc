#include "kinetic/value.h"

#include "oci/registry/remote_image.h"

namespace kinetic::oci {
namespace {

std::string ValueOf(const std::map<std::string, std::string, std::less<>>& values,
                    std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? std::string() : found->second;
}

}  // namespace

std::string ImageSettings::Variable(std::string_view name) const {
  return ValueOf(variables, name);
}

std::string ImageSettings::Label(std::string_view name) const { return ValueOf(labels, name); }

Result<ImageSettings> ReadImageSettings(const RegistryImage& image) {
  const auto config = Value::FromJson(image.config_json);
  if (!config || config->AsMap() == nullptr) {
    return Fail(ErrorCode::kDataLoss, image.name + ": its configuration is not a JSON object");
  }
  ImageSettings settings;
  const Value* const all = config->Find("config");
  const Value* const variables = all == nullptr ? nullptr : all->Find("Env");
  if (variables != nullptr && variables->AsList() != nullptr) {
    for (const Value& one : *variables->AsList()) {
      if (one.AsString() == nullptr) continue;
      const std::size_t equals = one.AsString()->find('=');
      if (equals == std::string::npos) continue;
      settings.variables[one.AsString()->substr(0, equals)] = one.AsString()->substr(equals + 1);
    }
  }
  const Value* const labels = all == nullptr ? nullptr : all->Find("Labels");
  if (labels != nullptr && labels->AsMap() != nullptr) {
    for (const auto& [name, value] : *labels->AsMap()) {
      if (value.AsString() != nullptr) settings.labels[name] = *value.AsString();
    }
  }
  return settings;
}

}  // namespace kinetic::oci
