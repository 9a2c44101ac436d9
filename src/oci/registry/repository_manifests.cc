#include "base/strings.h"
#include "base/try.h"
#include "oci/format/descriptor.h"
#include "oci/registry/repository.h"

#include <utility>

namespace kinetic::oci {
namespace {

/// What every manifest and index may be: a registry that is not told so gives nothing, or another.
const std::string& Accepted() {
  static const std::string kAll = [] {
    std::string all;
    for (const auto type : {media_type::kIndex, media_type::kManifest, media_type::kDockerIndex,
                            media_type::kDockerManifest}) {
      all += (all.empty() ? "" : ", ") + std::string(type);
    }
    return all;
  }();
  return kAll;
}

Failure OtherDigest(const std::string& doing, const std::string& given, const Digest& wanted) {
  return Fail(ErrorCode::kDataLoss,
              doing + ": the registry has " + Printable(given) + ", and not " + NameOf(wanted),
              "the registry or what is between alters bytes: do not use it");
}

}  // namespace

std::string Repository::NameHere(const std::string& name) const {
  return Text() + (DigestIn(name) ? "@" : ":") + name;
}

Result<std::optional<Digest>> Repository::FindManifest(const std::string& name,
                                                       std::stop_token stop) const {
  const std::string doing = "looking for " + NameHere(name);
  http::Request request = RequestTo("HEAD", Address().Part("manifests").Part(name).Text());
  request.headers = {{"Accept", Accepted()}};
  KINETIC_ASSIGN_OR_RETURN(const http::Response response, Send(request, doing, stop));
  if (response.status == 404) return std::optional<Digest>();
  if (response.status != 200) return Refused(request, response, doing);
  if (const auto digest = DigestIn(response.headers.Get("docker-content-digest").value_or(""))) {
    return digest;
  }
  KINETIC_ASSIGN_OR_RETURN(const StoredManifest manifest, ReadManifest(name, std::move(stop)));
  return std::optional(manifest.digest);
}

Result<StoredManifest> Repository::ReadManifest(const std::string& name,
                                                std::stop_token stop) const {
  const std::string doing = "reading " + NameHere(name);
  http::Request request = RequestTo("GET", Address().Part("manifests").Part(name).Text());
  request.headers = {{"Accept", Accepted()}};
  request.follow_redirects = true;
  KINETIC_ASSIGN_OR_RETURN(const http::Response response, Send(request, doing, std::move(stop)));
  if (response.status != 200) return Refused(request, response, doing);
  StoredManifest manifest{std::string(response.headers.Get("content-type").value_or("")),
                          Sha256::Of(response.body), response.body};
  const auto wanted = DigestIn(name);
  if (wanted && manifest.digest != *wanted) {
    return OtherDigest(doing, NameOf(manifest.digest), *wanted);
  }
  return manifest;
}

Status Repository::PutManifest(std::string_view media_type, const std::string& bytes,
                               const std::string& name, std::stop_token stop) const {
  const std::string doing = "storing " + NameHere(name);
  http::Request request = RequestTo("PUT", Address().Part("manifests").Part(name).Text());
  request.headers = {{"Content-Type", std::string(media_type)}};
  request.body = std::make_shared<http::BytesBody>(bytes);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response, Send(request, doing, std::move(stop)));
  if (response.status / 100 != 2) return Refused(request, response, doing);
  const Digest wanted = Sha256::Of(bytes);
  const auto given = response.headers.Get("docker-content-digest");
  if (given && *given != NameOf(wanted)) return OtherDigest(doing, std::string(*given), wanted);
  return {};
}

Status Repository::RemoveManifest(const std::string& name, std::stop_token stop) const {
  const std::string doing = "removing " + NameHere(name);
  const http::Request request = RequestTo("DELETE", Address().Part("manifests").Part(name).Text());
  KINETIC_ASSIGN_OR_RETURN(const http::Response response, Send(request, doing, std::move(stop)));
  if (response.status / 100 == 2 || response.status == 404) return {};
  if (response.status == 405 || Says(response, "UNSUPPORTED")) {
    return Fail(ErrorCode::kUnimplemented, doing + ": the registry does not delete",
                "its owner can set it to");
  }
  // Some take a digest alone, and call a tag a wrong one.
  if (!DigestIn(name) && Says(response, "DIGEST_INVALID")) {
    return Fail(ErrorCode::kUnimplemented, doing + ": the registry removes no tags",
                "remove the manifest by its digest, which takes all its tags away");
  }
  return Refused(request, response, doing);
}

}  // namespace kinetic::oci
