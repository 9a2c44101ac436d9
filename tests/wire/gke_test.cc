#include "base/strings.h"
#include "connect/cluster.h"
#include "google/gke/cluster.h"
#include "support/certificates.h"
#include "support/container_api.h"
#include "support/curl_transport.h"
#include "support/temp_tree.h"
#include "support/tls_server.h"

#include <gmock/gmock.h>

#include <sys/stat.h>

namespace kinetic::test {
namespace {

using testing::HasSubstr;

Value Endpoints(const Value& dns, const Value& addresses) {
  return Value::Map{{"dnsEndpointConfig", dns}, {"ipEndpointsConfig", addresses}};
}

class GkeTest : public testing::Test {
 protected:
  void SetUp() override {
    options_.kind = TargetKind::kGke;
    options_.profile.project = "p";
    options_.profile.location = "us-central1";
    options_.profile.cluster = "prod";
    options_.cloud.access_token = "google";
    options_.cloud.api_endpoint = api_.Url();
    options_.cache = tree_ / "cache";
  }

  Value Running(const std::string& endpoint) const {
    return Value::Map{
        {"status", "RUNNING"},
        {"endpoint", endpoint},
        {"masterAuth", Value::Map{{"clusterCaCertificate", Base64Encode(authority_.Pem())}}}};
  }

  Result<connect::Cluster> Open() {
    const connect::Dependencies deps{.fs = PosixFileSystem(), .clock = SystemClock()};
    return connect::OpenCluster(options_, deps, {});
  }

  void ExpectRefused(ErrorCode code, const std::string& words, const std::string& hint) {
    const auto cluster = Open();
    ASSERT_FALSE(cluster);
    EXPECT_EQ(cluster.error().code, code);
    EXPECT_THAT(cluster.error().message, HasSubstr(words));
    EXPECT_THAT(cluster.error().hint, HasSubstr(hint));
  }

  TempTree tree_;
  Authority authority_;
  ContainerApi api_{"google"};
  connect::ClusterOptions options_;
};

TEST_F(GkeTest, IsFoundByNameAndReceivesGoogleToken) {
  std::string shown;
  const TlsServer server(authority_.Issue({"127.0.0.1"}), {}, [&](const TlsServer::Seen& seen) {
    shown = seen.Header("authorization");
    return TlsServer::Answer{200, "welcome"};
  });
  api_.Put("p", "us-central1", "prod", Running("127.0.0.1:" + std::to_string(server.port())));
  const auto access = google::ParseGkeCluster(options_.profile, Running("fd00::1"));
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_EQ(access->server, "https://[fd00::1]");
  const auto cluster = Open();
  ASSERT_TRUE(cluster) << cluster.error().message;
  EXPECT_EQ(cluster->identity, "gke:p/us-central1/prod/default");
  const auto response = cluster->transport->Send(Get(cluster->server + "/"), {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "welcome");
  EXPECT_EQ(shown, "Bearer google");
}

TEST_F(GkeTest, IsCachedPerOwnerUntilUnavailable) {
  api_.Put("p", "us-central1", "prod", Running("127.0.0.1"));
  ASSERT_TRUE(Open());
  const auto again = Open();
  ASSERT_TRUE(again);
  EXPECT_EQ(api_.requests(), 1);
  for (const auto& file : std::filesystem::directory_iterator(tree_ / "cache/clusters")) {
    struct stat status = {};
    ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
  }
  EXPECT_FALSE(again->transport->Send(Get("https://127.0.0.1:1/"), {})) << "no server";
  ASSERT_TRUE(Open());
  EXPECT_EQ(api_.requests(), 2);
}

TEST_F(GkeTest, MissingClusterIsNamed) {
  ExpectRefused(ErrorCode::kNotFound, "cannot find cluster prod in us-central1 of project p",
                "the project has no clusters");
  api_.Put("p", "us-central1", "prod2", Running("10.0.0.1"));
  ExpectRefused(ErrorCode::kNotFound, "cannot find cluster prod", "prod2 in us-central1?");
  api_.Put("p", "europe-west4", "training", Running("10.0.0.1"));
  options_.profile.cluster = "something-else";
  ExpectRefused(ErrorCode::kNotFound, "something-else",
                "existing clusters: training in europe-west4, prod2 in us-central1");
}

TEST_F(GkeTest, RetriesTransientAndReportsPermanentFaults) {
  api_.Put("p", "us-central1", "prod", Running("10.0.0.1"));
  api_.BeUnavailable(1);
  EXPECT_TRUE(Open());
  options_.cache.clear();
  api_.Deny();
  ExpectRefused(ErrorCode::kPermissionDenied,
                "cannot find cluster prod: ", "container.clusters.get");
  options_.cloud.access_token = "stolen";
  ExpectRefused(ErrorCode::kUnauthenticated, "", "");
  options_.profile.location.clear();
  ExpectRefused(ErrorCode::kInvalidArgument, "the profile has no location", "clusters list");
}

TEST_F(GkeTest, UsesEndpointOfProfile) {
  Value cluster = Running("34.1.2.3");
  cluster.Set("controlPlaneEndpointsConfig",
              Endpoints(Value::Map{{"endpoint", "uid.us-central1.gke.goog"},
                                   {"allowExternalTraffic", true}},
                        Value::Map{{"enabled", true}, {"privateEndpoint", "172.16.0.2"}}));
  ClusterProfile profile = options_.profile;
  EXPECT_EQ(google::ParseGkeCluster(profile, cluster)->server, "https://34.1.2.3");
  EXPECT_EQ(google::ParseGkeCluster(profile, cluster)->ca_pem, authority_.Pem());
  profile.private_endpoint = true;
  EXPECT_EQ(google::ParseGkeCluster(profile, cluster)->server, "https://172.16.0.2");
  profile.dns_endpoint = true;
  EXPECT_EQ(google::ParseGkeCluster(profile, cluster).error().code, ErrorCode::kInvalidArgument);
  profile.private_endpoint = false;
  const auto dns = google::ParseGkeCluster(profile, cluster);
  ASSERT_TRUE(dns) << dns.error().message;
  EXPECT_EQ(dns->server, "https://uid.us-central1.gke.goog");
  EXPECT_EQ(dns->ca_pem, "") << "verified with the system's CAs";
}

TEST_F(GkeTest, UsesDnsEndpointAsLastResort) {
  Value cluster(Value::Map{{"status", "RUNNING"}});
  const Value name("uid.us-central1.gke.goog");
  cluster.Set("controlPlaneEndpointsConfig",
              Endpoints(Value::Map{{"endpoint", name}, {"allowExternalTraffic", true}},
                        Value::Map{{"enabled", false}}));
  EXPECT_EQ(google::ParseGkeCluster(options_.profile, cluster)->server,
            "https://uid.us-central1.gke.goog");
  cluster.Set("controlPlaneEndpointsConfig",
              Endpoints(Value::Map{{"endpoint", name}}, Value::Map{{"enabled", false}}));
  const auto closed = google::ParseGkeCluster(options_.profile, cluster);
  ASSERT_FALSE(closed);
  EXPECT_THAT(closed.error().message, HasSubstr("does not allow access through its DNS endpoint"));
  EXPECT_THAT(closed.error().hint, HasSubstr("--enable-dns-access"));
}

TEST_F(GkeTest, ReportsUnusableCluster) {
  const auto refusal = [&](Value cluster) {
    return google::ParseGkeCluster(options_.profile, cluster).error().message;
  };
  EXPECT_THAT(refusal(Value::Map{{"status", "PROVISIONING"}}), HasSubstr("is being created"));
  EXPECT_THAT(refusal(Value::Map{{"status", "STOPPING"}, {"endpoint", "1.2.3.4"}}),
              HasSubstr("is being deleted"));
  EXPECT_THAT(refusal(Value::Map{{"status", "ERROR"}, {"statusMessage", "no quota"}}),
              HasSubstr("is in state ERROR: no quota"));
  EXPECT_THAT(refusal(Value::Map{{"status", "RUNNING"}}), HasSubstr("no public endpoint"));
  EXPECT_THAT(refusal(Value::Map{{"status", "RUNNING"}, {"endpoint", "1.2.3.4"}}),
              HasSubstr("cannot read the CA certificate"));
  options_.profile.private_endpoint = true;
  EXPECT_THAT(refusal(Running("1.2.3.4")), HasSubstr("has no private endpoint"));
}

}  // namespace
}  // namespace kinetic::test
