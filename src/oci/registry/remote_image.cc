#include "oci/registry/remote_image.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "oci/format/documents.h"

#include <algorithm>
#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::uint64_t kMaxImageConfigBytes = 8U << 20;

std::string NameIn(const Repository& repository, const std::string& name) {
  return repository.Text() + (ParseDigest(name) ? "@" : ":") + name;
}

Result<Value> ParseDocument(const std::string& bytes, const std::string& where) {
  auto value = Value::FromJson(bytes);
  if (!value) return Fail(ErrorCode::kDataLoss, where + ": " + value.error().message);
  return value;
}

/// "arm64", "arm64 and s390x", "arm64, ppc64le and s390x".
std::string Listed(const std::vector<std::string>& names) {
  std::string all;
  for (std::size_t i = 0; i < names.size(); ++i) {
    all += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return all;
}

Failure WrongPlatform(const std::string& where, const std::vector<Platform>& platforms,
                      const std::string& architecture) {
  std::vector<std::string> names;
  for (const Platform& platform : platforms) {
    const std::string name = Printable(platform.Text());
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  const std::string supported = names.empty() ? "an unknown platform" : Listed(names);
  return Fail(ErrorCode::kFailedPrecondition,
              where + " is for " + supported + ", but the nodes are " + architecture,
              "choose an image for " + architecture + ", or use matching nodes");
}

Result<Descriptor> SelectManifest(const std::vector<IndexEntry>& entries,
                                  const std::string& architecture, const std::string& where) {
  std::vector<Platform> platforms;
  for (const IndexEntry& entry : entries) {
    if (entry.platform.Text() == architecture) return entry.manifest;
    platforms.push_back(entry.platform);
  }
  return WrongPlatform(where, platforms, architecture);
}

Result<StoredManifest> ReadRootManifest(const Repository& repository, const std::string& name,
                                        const std::string& where, std::stop_token stop) {
  auto stored = repository.ReadManifest(name, std::move(stop));
  if (!stored && stored.error().code == ErrorCode::kNotFound) {
    return Failure(std::move(stored).error().Hint("check the name: " + where + " does not exist"));
  }
  return stored;
}

Result<std::string> ReadConfig(const Repository& repository, const Descriptor& config,
                               const std::string& where, std::stop_token stop) {
  if (config.size_bytes > kMaxImageConfigBytes) {
    return Fail(ErrorCode::kDataLoss, where + ": its configuration is too large: " +
                                          std::to_string(config.size_bytes) + " bytes");
  }
  std::string bytes;
  const auto take = [&](std::string_view piece) -> Status {
    bytes += piece;
    return {};
  };
  KINETIC_RETURN_IF_ERROR(repository.ReadBlob(config, take, std::move(stop)));
  return bytes;
}

}  // namespace

Result<RegistryImage> ReadRegistryImage(const Repository& repository, const std::string& name,
                                        const std::string& architecture, std::stop_token stop) {
  RegistryImage image;
  image.name = NameIn(repository, name);
  KINETIC_ASSIGN_OR_RETURN(StoredManifest stored,
                           ReadRootManifest(repository, name, image.name, stop));
  image.root_digest = stored.digest;
  KINETIC_ASSIGN_OR_RETURN(Value document, ParseDocument(stored.bytes, image.name));
  KINETIC_ASSIGN_OR_RETURN(DocumentKind kind, DetectDocumentKind(document, image.name));
  if (kind == DocumentKind::kIndex) {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, ReadIndex(document, image.name));
    KINETIC_ASSIGN_OR_RETURN(const Descriptor selected,
                             SelectManifest(entries, architecture, image.name));
    KINETIC_ASSIGN_OR_RETURN(stored, repository.ReadManifest(DigestString(selected.digest), stop));
    KINETIC_ASSIGN_OR_RETURN(document, ParseDocument(stored.bytes, image.name));
    KINETIC_ASSIGN_OR_RETURN(kind, DetectDocumentKind(document, image.name));
    if (kind != DocumentKind::kManifest || stored.bytes.size() != selected.size_bytes) {
      return Fail(ErrorCode::kDataLoss,
                  image.name + ": its index does not match " + DigestString(selected.digest));
    }
  }
  image.digest = stored.digest;
  KINETIC_ASSIGN_OR_RETURN(Manifest manifest, ReadManifest(document, image.name));
  image.config = manifest.config;
  image.layers = std::move(manifest.layers);
  KINETIC_ASSIGN_OR_RETURN(image.config_json,
                           ReadConfig(repository, image.config, image.name, std::move(stop)));
  KINETIC_ASSIGN_OR_RETURN(const Value config, ParseDocument(image.config_json, image.name));
  KINETIC_ASSIGN_OR_RETURN(const Platform platform, ReadPlatform(config, image.name));
  // Also for an index entry: container runtimes rely on the configuration.
  if (platform.Text() != architecture) return WrongPlatform(image.name, {platform}, architecture);
  image.architecture = architecture;
  return image;
}

}  // namespace kinetic::oci
