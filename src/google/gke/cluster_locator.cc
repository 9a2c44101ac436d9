#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "google/api/services.h"
#include "google/gke/cluster.h"
#include "http/url.h"
#include "json/document.h"

#include <unistd.h>

#include <vector>

namespace kinetic::google {
namespace {

constexpr std::uint64_t kFileBytes = 1U << 20;
constexpr std::chrono::hours kMaxAge{12};
/// Returns a hint with the clusters that exist.
std::string SuggestCluster(const ApiClient& api, const ClusterProfile& profile,
                           const std::stop_token& stop) {
  const std::string path = http::Url("")
                               .Raw("/v1/projects")
                               .Part(profile.project)
                               .Raw("/locations/-/clusters")
                               .Query("fields", "clusters(name,location),missingZones")
                               .Text();
  const auto clusters = api.List(std::string(kContainer), path, "clusters", stop);
  if (!clusters) return "check project, location and cluster";
  if (clusters->empty()) return "the project has no clusters";
  std::vector<std::string> names;
  for (const Value& cluster : *clusters) {
    names.push_back(Printable(json::TextAt(cluster, "name")) + " in " +
                    Printable(json::TextAt(cluster, "location")));
  }
  const std::string wanted = profile.cluster + " in " + profile.location;
  if (const auto nearest = Nearest(wanted, names)) return "did you mean " + *nearest + "?";
  return "existing clusters: " + Join(names, ", ");
}

}  // namespace

Result<kube::ClusterAccess> FindGkeCluster(const ApiClient& api, const ClusterProfile& profile,
                                           std::stop_token stop) {
  const std::string path = http::Url("")
                               .Raw("/v1/projects")
                               .Part(profile.project)
                               .Raw("/locations")
                               .Part(profile.location)
                               .Raw("/clusters")
                               .Part(profile.cluster)
                               .Query("fields", kGkeClusterFields)
                               .Text();
  auto cluster = api.Find(std::string(kContainer), path, stop);
  if (!cluster) {
    return Failure(
        std::move(cluster).error().Context("cannot find cluster " + Printable(profile.cluster)));
  }
  if (*cluster) return ParseGkeCluster(profile, **cluster);
  return Fail(ErrorCode::kNotFound,
              "cannot find cluster " + Printable(profile.cluster) + " in " +
                  Printable(profile.location) + " of project " + Printable(profile.project),
              SuggestCluster(api, profile, stop));
}

Path GkeClusterCache::FileOf(const ClusterProfile& profile) const {
  const std::string endpoint = profile.dns_endpoint ? "dns" : profile.private_endpoint ? "in" : "";
  return folder_ / (Sha256::Of(GkeResourceName(profile) + "#" + endpoint).Hex() + ".json");
}

std::optional<kube::ClusterAccess> GkeClusterCache::Find(const ClusterProfile& profile) const {
  if (folder_.empty()) return std::nullopt;
  const auto status = fs_->Lstat(FileOf(profile));
  // A file that others can write could redirect the credential to another server.
  const bool own = status && status->type == FileType::kRegular && status->owner == ::geteuid() &&
                   (status->mode & 077U) == 0;
  if (!own) return std::nullopt;
  const auto text = ReadFile(*fs_, FileOf(profile), kFileBytes);
  const auto value = text ? Value::FromJson(*text) : Result<Value>(Failure(text.error()));
  if (!value) return std::nullopt;
  json::ObjectReader reader(*value, "cluster");
  kube::ClusterAccess access;
  access.server = reader.String("server");
  access.ca_pem = reader.String("ca");
  access.ca_fingerprint = reader.String("ca_mark");
  const WallTime found = FromMicros(reader.Int("found"));
  const WallTime now = clock_->Now();
  if (!reader.Finish() || found > now || now - found > kMaxAge) return std::nullopt;
  return access;
}

void GkeClusterCache::Store(const ClusterProfile& profile,
                            const kube::ClusterAccess& access) const {
  if (folder_.empty() || !MakeDirectories(*fs_, folder_, 0700)) return;
  const Value value(Value::Map{{"server", access.server},
                               {"ca", access.ca_pem},
                               {"ca_mark", access.ca_fingerprint},
                               {"found", ToMicros(clock_->Now())}});
  (void)WriteFileAtomically(*fs_, FileOf(profile), value.ToJson(), 0600);
}

void GkeClusterCache::Erase(const ClusterProfile& profile) const {
  if (!folder_.empty()) (void)fs_->Unlink(FileOf(profile));
}

}  // namespace kinetic::google
