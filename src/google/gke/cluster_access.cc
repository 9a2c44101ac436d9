#include "kinetic/try.h"

#include "auth/pem.h"
#include "base/strings.h"
#include "google/gke/cluster.h"

#include <algorithm>
#include <initializer_list>

namespace kinetic::google {
namespace {

constexpr std::size_t kFingerprintDigits = 12;

const Value* Within(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* here = &value;
  for (const std::string_view key : path) {
    if (here != nullptr) here = here->Find(key);
  }
  return here;
}

std::string TextAt(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* member = Within(value, path);
  const std::string* text = member != nullptr ? member->AsString() : nullptr;
  return text != nullptr ? *text : "";
}

/// Returns a Boolean field, or nullopt if it is absent.
std::optional<bool> FlagAt(const Value& value, std::initializer_list<std::string_view> path) {
  const Value* member = Within(value, path);
  const bool* flag = member != nullptr ? member->AsBool() : nullptr;
  return flag != nullptr ? std::optional(*flag) : std::nullopt;
}

Failure Unusable(const ClusterProfile& profile, const std::string& what, std::string hint) {
  return Fail(ErrorCode::kFailedPrecondition,
              "the cluster " + Printable(profile.cluster) + " in " + Printable(profile.location) +
                  " of project " + Printable(profile.project) + " " + what,
              std::move(hint));
}

std::string PrivateEndpoint(const Value& cluster) {
  const std::string address =
      TextAt(cluster, {"controlPlaneEndpointsConfig", "ipEndpointsConfig", "privateEndpoint"});
  return address.empty() ? TextAt(cluster, {"privateClusterConfig", "privateEndpoint"}) : address;
}

bool UsesDns(const ClusterProfile& profile, const Value& cluster) {
  if (profile.dns_endpoint || profile.private_endpoint) return profile.dns_endpoint;
  return FlagAt(cluster, {"controlPlaneEndpointsConfig", "ipEndpointsConfig", "enabled"}) == false;
}

Result<kube::ClusterAccess> ByDns(const ClusterProfile& profile, const Value& cluster) {
  const std::string name =
      TextAt(cluster, {"controlPlaneEndpointsConfig", "dnsEndpointConfig", "endpoint"});
  if (name.empty()) {
    return Unusable(profile, "has no DNS endpoint",
                    "set cluster_endpoint to public or private in the profile");
  }
  const auto allowed =
      FlagAt(cluster, {"controlPlaneEndpointsConfig", "dnsEndpointConfig", "allowExternalTraffic"});
  if (allowed != true) {
    return Unusable(profile, "does not allow access through its DNS endpoint",
                    "gcloud container clusters update " + profile.cluster +
                        " --location=" + profile.location + " --project=" + profile.project +
                        " --enable-dns-access");
  }
  kube::ClusterAccess access;
  access.server = "https://" + name;
  return access;
}

Result<kube::ClusterAccess> ByAddress(const ClusterProfile& profile, const Value& cluster) {
  const std::string address =
      profile.private_endpoint ? PrivateEndpoint(cluster) : TextAt(cluster, {"endpoint"});
  if (address.empty()) {
    return Unusable(
        profile, profile.private_endpoint ? "has no private endpoint" : "has no public endpoint",
        profile.private_endpoint ? "set cluster_endpoint to public or dns in the profile"
                                 : "set cluster_endpoint to dns or private in the profile");
  }
  const auto pem = Base64Decode(TextAt(cluster, {"masterAuth", "clusterCaCertificate"}));
  const auto facts =
      pem ? auth::ReadCertificates(*pem)
          : Result<auth::CertificateInfo>(Fail(ErrorCode::kInvalidArgument, "invalid base64"));
  if (!facts) {
    return Fail(ErrorCode::kUnavailable, "cannot read the CA certificate of cluster " +
                                             Printable(profile.cluster) + ": " +
                                             facts.error().message);
  }
  kube::ClusterAccess access;
  access.server =
      "https://" + (std::ranges::count(address, ':') > 1 ? "[" + address + "]" : address);
  access.ca_pem = *pem;
  access.ca_fingerprint = facts->digest.Hex().substr(0, kFingerprintDigits);
  return access;
}

}  // namespace

std::string GkeResourceName(const ClusterProfile& profile) {
  return "projects/" + profile.project + "/locations/" + profile.location + "/clusters/" +
         profile.cluster;
}

Result<kube::ClusterAccess> ParseGkeCluster(const ClusterProfile& profile, const Value& cluster) {
  if (profile.private_endpoint && profile.dns_endpoint) {
    return Fail(ErrorCode::kInvalidArgument, "the private and the DNS endpoint cannot be combined",
                "set cluster_endpoint to public, private or dns in the profile");
  }
  const std::string status = TextAt(cluster, {"status"});
  if (status == "STOPPING") return Unusable(profile, "is being deleted", "use another cluster");
  if (status == "PROVISIONING" && TextAt(cluster, {"endpoint"}).empty()) {
    return Unusable(profile, "is being created", "try again in a few minutes");
  }
  if (status == "ERROR") {
    const std::string reason = TextAt(cluster, {"statusMessage"});
    return Unusable(profile, "is in state ERROR" + (reason.empty() ? "" : ": " + Printable(reason)),
                    "check it in the Google Cloud console; you may have to create it again");
  }
  return UsesDns(profile, cluster) ? ByDns(profile, cluster) : ByAddress(profile, cluster);
}

}  // namespace kinetic::google
