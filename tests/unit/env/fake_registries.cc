#include "fake_registries.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "oci/format/reference.h"

#include <cstdint>
#include <string_view>

namespace kinetic::env {
namespace {

Value Descriptor(std::string_view type, const std::string& bytes) {
  return Value::Map{{"mediaType", std::string(type)},
                    {"digest", oci::DigestString(Sha256::Of(bytes))},
                    {"size", static_cast<std::int64_t>(bytes.size())}};
}

}  // namespace

std::string FakeImageRegistries::Put(const std::string& reference,
                                     const std::map<std::string, std::string>& labels) {
  Value::Map shown;
  for (const auto& [name, value] : labels) shown.emplace_back(name, value);
  const std::string config = Value(Value::Map{{"architecture", "amd64"},
                                              {"os", "linux"},
                                              {"config", Value::Map{{"Labels", std::move(shown)}}}})
                                 .ToJson();
  const std::string manifest =
      Value(Value::Map{{"schemaVersion", 2},
                       {"mediaType", std::string(oci::media_type::kManifest)},
                       {"config", Descriptor(oci::media_type::kConfig, config)},
                       {"layers", Value::List{Descriptor(oci::media_type::kLayerGzip, "layer")}}})
          .ToJson();
  const auto name = oci::ParseReference(reference);
  const std::string place =
      oci::ResolveRegistry(name->registry, false).url + "/v2/" + name->repository + "/";
  std::string digest = oci::DigestString(Sha256::Of(manifest));
  documents_[place + "blobs/" + oci::DigestString(Sha256::Of(config))] = config;
  documents_[place + "manifests/" + digest] = manifest;
  documents_[place + "manifests/" + name->tag] = manifest;
  return digest;
}

Result<const oci::Repository*> FakeImageRegistries::OpenToRead(const oci::Reference& image) {
  http::Transport& transport = *this;
  open_.push_back(std::make_unique<oci::Repository>(
      transport, clock_, oci::ResolveRegistry(image.registry, false), image.repository));
  return open_.back().get();
}

Result<http::Response> FakeImageRegistries::Stream(const http::Request& request,
                                                   const http::Sink& sink,
                                                   std::stop_token /*stop*/) {
  http::Response response;
  for (const auto& [registry, status] : refusals_) {
    if (!request.url.starts_with(oci::ResolveRegistry(registry, false).url)) continue;
    response.status = status;
    return response;
  }
  std::string url = request.url;
  for (auto at = url.find("%3A"); at != std::string::npos; at = url.find("%3A")) {
    url.replace(at, 3, ":");
  }
  const auto found = documents_.find(url);
  response.status = found == documents_.end() ? 404 : 200;
  if (response.status == 200) KINETIC_RETURN_IF_ERROR(sink(found->second));
  return response;
}

}  // namespace kinetic::env
