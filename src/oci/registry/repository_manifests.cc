#include "kinetic/try.h"

#include "base/never_destroyed.h"
#include "base/strings.h"
#include "oci/format/reference.h"
#include "oci/registry/repository.h"

#include <utility>

namespace kinetic::oci {
namespace {

/// Lists all media types; without it, a registry may respond 404 or convert the manifest.
const std::string& AcceptHeader() {
  static const std::string& types = NeverDestroyed<std::string>([] {
    std::string all;
    for (const auto type : {media_type::kIndex, media_type::kManifest, media_type::kDockerIndex,
                            media_type::kDockerManifest}) {
      all += (all.empty() ? "" : ", ") + std::string(type);
    }
    return all;
  }());
  return types;
}

Failure DigestMismatch(const std::string& operation, const std::string& actual,
                       const Digest& expected) {
  return Fail(ErrorCode::kDataLoss,
              operation + ": the registry has " + Printable(actual) + ", expected " +
                  DigestString(expected),
              "the registry or the network altered the content: do not use it");
}

}  // namespace

std::string Repository::QualifiedName(const std::string& name) const {
  return Text() + (ParseDigest(name) ? "@" : ":") + name;
}

Result<std::optional<Digest>> Repository::FindManifest(const std::string& name,
                                                       std::stop_token stop) const {
  const std::string operation = "checking for " + QualifiedName(name);
  http::Request request = MakeRequest("HEAD", BaseUrl().Part("manifests").Part(name).Text());
  request.headers = {{"Accept", AcceptHeader()}};
  KINETIC_ASSIGN_OR_RETURN(const http::Response response, Send(request, operation, stop));
  if (response.status == 404) return std::optional<Digest>();
  if (response.status != 200) return Rejected(request, response, operation);
  if (const auto digest = ParseDigest(response.headers.Get("docker-content-digest").value_or(""))) {
    return digest;
  }
  KINETIC_ASSIGN_OR_RETURN(const StoredManifest manifest, ReadManifest(name, std::move(stop)));
  return std::optional(manifest.digest);
}

Result<StoredManifest> Repository::ReadManifest(const std::string& name,
                                                std::stop_token stop) const {
  const std::string operation = "reading " + QualifiedName(name);
  http::Request request = MakeRequest("GET", BaseUrl().Part("manifests").Part(name).Text());
  request.headers = {{"Accept", AcceptHeader()}};
  request.follow_redirects = true;
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           Send(request, operation, std::move(stop)));
  if (response.status != 200) return Rejected(request, response, operation);
  StoredManifest manifest{std::string(response.headers.Get("content-type").value_or("")),
                          Sha256::Of(response.body), response.body};
  const auto expected = ParseDigest(name);
  if (expected && manifest.digest != *expected) {
    return DigestMismatch(operation, DigestString(manifest.digest), *expected);
  }
  return manifest;
}

Status Repository::PutManifest(std::string_view media_type, const std::string& bytes,
                               const std::string& name, std::stop_token stop) const {
  const std::string operation = "storing " + QualifiedName(name);
  http::Request request = MakeRequest("PUT", BaseUrl().Part("manifests").Part(name).Text());
  request.headers = {{"Content-Type", std::string(media_type)}};
  request.body = std::make_shared<http::BytesBody>(bytes);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           Send(request, operation, std::move(stop)));
  if (response.status / 100 != 2) return Rejected(request, response, operation);
  const Digest expected = Sha256::Of(bytes);
  const auto actual = response.headers.Get("docker-content-digest");
  if (actual && *actual != DigestString(expected))
    return DigestMismatch(operation, std::string(*actual), expected);
  return {};
}

Status Repository::RemoveManifest(const std::string& name, std::stop_token stop) const {
  const std::string operation = "removing " + QualifiedName(name);
  const http::Request request =
      MakeRequest("DELETE", BaseUrl().Part("manifests").Part(name).Text());
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           Send(request, operation, std::move(stop)));
  if (response.status / 100 == 2 || response.status == 404) return {};
  if (response.status == 405 || HasErrorCode(response, "UNSUPPORTED")) {
    return Fail(ErrorCode::kUnimplemented, operation + ": the registry does not support deletion",
                "ask the owner of the registry to enable it");
  }
  // Some registries require a digest.
  if (!ParseDigest(name) && HasErrorCode(response, "DIGEST_INVALID")) {
    return Fail(ErrorCode::kUnimplemented, operation + ": the registry does not remove tags",
                "remove the manifest by its digest, which removes all its tags");
  }
  return Rejected(request, response, operation);
}

}  // namespace kinetic::oci
