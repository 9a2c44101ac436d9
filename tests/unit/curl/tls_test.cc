#include "support/certificates.h"
#include "support/curl_transport.h"
#include "support/raw_server.h"
#include "support/tls_server.h"

namespace kinetic::test {
namespace {

curl::Options Trusting(const Authority& authority) {
  curl::Options options;
  options.ca_pem = authority.Pem();
  return options;
}

void ExpectRefused(const Result<http::Response>& response, std::string_view words) {
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code, ErrorCode::kFailedPrecondition) << response.error().message;
  EXPECT_NE(response.error().message.find(words), std::string::npos) << response.error().message;
  EXPECT_FALSE(response.error().hint.empty());
}

TEST(Tls, TrustsTheGivenCa) {
  const Authority authority;
  const TlsServer server(authority.Issue({"127.0.0.1"}));
  const auto response = MakeTransport(Trusting(authority))->Send(Get(server.Url()), {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "hello");
}

TEST(Tls, RejectsAnotherCa) {
  const Authority authority;
  const Authority other;
  const TlsServer server(authority.Issue({"127.0.0.1"}));
  ExpectRefused(MakeTransport(Trusting(other))->Send(Get(server.Url()), {}), "certificate");
  ExpectRefused(MakeTransport()->Send(Get(server.Url()), {}), "certificate");
}

TEST(Tls, BrokenHandshakeIsNotACertificateError) {
  for (const bool reset : {false, true}) {
    RawServer server([&](Connection& connection, int) {
      if (reset) connection.Reset();
    });
    const auto response =
        MakeTransport()->Send(Get("https://127.0.0.1:" + std::to_string(server.port())), {});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code, ErrorCode::kUnavailable) << response.error().message;
  }
}

TEST(Tls, RejectsAnotherHostName) {
  const Authority authority;
  const TlsServer server(authority.Issue({"storage.example"}));
  ExpectRefused(MakeTransport(Trusting(authority))->Send(Get(server.Url()), {}), "127.0.0.1");
}

TEST(Tls, RejectsExpiredAndFutureCertificates) {
  using std::chrono::hours;
  const Authority authority;
  const TlsServer old(authority.Issue({"127.0.0.1", -hours(2), -hours(1)}));
  ExpectRefused(MakeTransport(Trusting(authority))->Send(Get(old.Url()), {}), "expired");
  const TlsServer young(authority.Issue({"127.0.0.1", hours(1), hours(2)}));
  ExpectRefused(MakeTransport(Trusting(authority))->Send(Get(young.Url()), {}), "not yet valid");
}

TEST(Tls, SkipsVerificationOnlyIfConfigured) {
  const Authority authority;
  const TlsServer server(authority.Issue({"elsewhere.example"}));
  curl::Options options;
  options.verify_tls = false;
  EXPECT_TRUE(MakeTransport(options)->Send(Get(server.Url()), {}));
}

TEST(Tls, SendsAClientCertificate) {
  const Authority servers;
  const Authority clients;
  const TlsServer server(servers.Issue({"127.0.0.1"}), clients.Pem());
  const Certificate mine = clients.Issue({"ana"});
  curl::Options options = Trusting(servers);
  options.client_certificate_pem = mine.certificate_pem;
  options.client_key_pem = mine.key_pem;
  const auto response = MakeTransport(options)->Send(Get(server.Url()), {});
  ASSERT_TRUE(response) << response.error().message;
  EXPECT_EQ(response->body, "hello");
}

TEST(Tls, FailsWithoutTheClientCertificate) {
  const Authority servers;
  const Authority clients;
  const TlsServer server(servers.Issue({"127.0.0.1"}), clients.Pem());
  const auto response = MakeTransport(Trusting(servers))->Send(Get(server.Url()), {});
  if (response) {
    EXPECT_NE(response->status, 200);
  }
}

}  // namespace
}  // namespace kinetic::test
