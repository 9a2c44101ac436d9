#include "kinetic/try.h"

#include "connect/cloud_options.h"
#include "json/document.h"

#include <array>
#include <utility>

namespace kinetic::connect {
namespace {

constexpr std::array<std::string_view, 3> kVersions{"auto", "1", "2"};

std::map<std::string, std::string> StringMap(json::ObjectReader& reader, std::string_view key) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : reader.Map(key)) {
    if (value.AsString() != nullptr) {
      texts.emplace(name, *value.AsString());
    } else {
      reader.Reject(key, "the value of " + name + " is not a string");
    }
  }
  return texts;
}

HttpVersion ReadHttpVersion(json::ObjectReader& reader, std::string_view key) {
  const std::string name = reader.String(key);
  for (std::size_t i = 0; i < kVersions.size(); ++i) {
    if (kVersions.at(i) == name) return static_cast<HttpVersion>(i);
  }
  reader.Reject(key, "expected auto, 1 or 2");
  return HttpVersion::kAuto;
}

}  // namespace

Value ToValue(const CloudOptions& options) {
  Value::Map environment;
  for (const auto& [name, value] : options.environment) environment.emplace_back(name, value);
  return Value::Map{
      {"access_token", options.access_token},
      {"token_file", options.token_file.native()},
      {"credential_file", options.credential_file.native()},
      {"well_known_file", options.well_known_file.native()},
      {"metadata_url", options.metadata_url},
      {"allow_programs", options.allow_programs},
      {"allow_loopback", options.allow_loopback},
      {"search_path", options.search_path},
      {"environment", std::move(environment)},
      {"quota_project", options.quota_project},
      {"user_project", options.user_project},
      {"storage_endpoint", options.storage_endpoint},
      {"proxy", options.proxy},
      {"no_proxy", options.no_proxy},
      {"ca_file", options.ca_file.native()},
      {"http_version", std::string(kVersions.at(static_cast<std::size_t>(options.http_version)))}};
}

Result<CloudOptions> CloudOptionsFromValue(const Value& value) {
  json::ObjectReader reader(value, "cloud options");
  CloudOptions options;
  options.access_token = reader.String("access_token");
  options.token_file = reader.String("token_file");
  options.credential_file = reader.String("credential_file");
  options.well_known_file = reader.String("well_known_file");
  options.metadata_url = reader.String("metadata_url");
  options.allow_programs = reader.Bool("allow_programs");
  options.allow_loopback = reader.Bool("allow_loopback");
  options.search_path = reader.String("search_path");
  options.environment = StringMap(reader, "environment");
  options.quota_project = reader.String("quota_project");
  options.user_project = reader.String("user_project");
  options.storage_endpoint = reader.String("storage_endpoint");
  options.proxy = reader.String("proxy");
  options.no_proxy = reader.String("no_proxy");
  options.ca_file = reader.String("ca_file");
  options.http_version = ReadHttpVersion(reader, "http_version");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return options;
}

}  // namespace kinetic::connect
