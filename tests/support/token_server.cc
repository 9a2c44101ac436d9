#include "support/token_server.h"

#include "kinetic/value.h"

#include "base/strings.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <mutex>
#include <thread>

namespace kinetic::test {
namespace {

constexpr const char* kAccount = "robot@p.iam.gserviceaccount.com";

std::string PrivatePem(EVP_PKEY* key) {
  BIO* bio = BIO_new(BIO_s_mem());
  PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  std::string pem(bytes, static_cast<std::size_t>(size));
  BIO_free(bio);
  return pem;
}

std::string FromUrlForm(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  while (text.size() % 4 != 0) text += '=';
  return Base64Decode(text).value_or("");
}

bool Verifies(EVP_PKEY* key, const std::string& text, const std::string& signature) {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  const bool verifies =
      EVP_DigestVerifyInit(context, nullptr, EVP_sha256(), nullptr, key) == 1 &&
      EVP_DigestVerify(context, reinterpret_cast<const unsigned char*>(signature.data()),
                       signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                       text.size()) == 1;
  EVP_MD_CTX_free(context);
  return verifies;
}

std::string TextOf(const Value& value, const char* key) {
  const Value* member = value.Find(key);
  return member != nullptr && member->AsString() != nullptr ? *member->AsString() : "";
}

std::int64_t NumberOf(const Value& value, const char* key) {
  const Value* member = value.Find(key);
  return member != nullptr && member->AsInt() != nullptr ? *member->AsInt() : 0;
}

/// Returns an ID token with an arbitrary signature, which clients do not verify.
std::string IdToken() {
  return "e30." + Base64UrlEncode(R"({"email":"ana@example.org"})") + ".c2ln";
}

std::string DateText(std::time_t time) {
  char text[64];
  std::tm parts{};
  gmtime_r(&time, &parts);
  const std::size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text, size};
}

/// Returns one of two keys of this process: generating one takes a tenth of a second.
EVP_PKEY* SharedKey(TokenServer::Key which) {
  if (which == TokenServer::Key::kOther) {
    static EVP_PKEY* const other = EVP_RSA_gen(2048);
    return other;
  }
  static EVP_PKEY* const usual = EVP_RSA_gen(2048);
  return usual;
}

}  // namespace

struct TokenServer::State {
  explicit State(Key which) : key(SharedKey(which)) {}

  httplib::Server server;
  int port = 0;
  EVP_PKEY* key;
  std::string pem = PrivatePem(key);
  mutable std::mutex mutex;
  std::vector<std::string> problems;
  std::atomic<int> tokens{0};
  std::atomic<int> unavailable{0};
  std::atomic<int> date_shift{0};
  std::atomic<bool> revoked{false};
  std::atomic<int> lifetime{3600};
  std::jthread thread;

  std::string Problem(const std::string& problem) {
    const std::lock_guard lock(mutex);
    problems.push_back(problem);
    return problem;
  }

  /// Returns the error of a signed assertion; empty if it is valid.
  std::string CheckAssertion(const std::string& assertion) {
    const std::size_t first = assertion.find('.');
    const std::size_t second = assertion.find('.', first + 1);
    if (second == std::string::npos) return "no assertion";
    const auto claims =
        Value::FromJson(FromUrlForm(assertion.substr(first + 1, second - first - 1)));
    if (!Verifies(key, assertion.substr(0, second), FromUrlForm(assertion.substr(second + 1)))) {
      return "signature";
    }
    if (!claims || TextOf(*claims, "iss") != kAccount) return "iss";
    if (TextOf(*claims, "aud") != "https://oauth2.googleapis.com/token") return "aud";
    if (TextOf(*claims, "scope") != "https://www.googleapis.com/auth/cloud-platform")
      return "scope";
    const std::int64_t now = std::time(nullptr) + date_shift;
    if (std::abs(NumberOf(*claims, "iat") - now) > 300) return "iat";
    const std::int64_t lasts = NumberOf(*claims, "exp") - NumberOf(*claims, "iat");
    return lasts > 0 && lasts <= 3600 ? "" : "exp";
  }

  std::string CheckRefresh(const httplib::Request& request) {
    if (request.get_param_value("client_id") != "id") return "client_id";
    if (request.get_param_value("client_secret") != "s/e+c&t=") return "client_secret";
    return request.get_param_value("refresh_token") == "1//refresh" && !revoked ? "" : "revoked";
  }

  std::string Check(const httplib::Request& request) {
    const std::string grant = request.get_param_value("grant_type");
    if (grant == "refresh_token") return CheckRefresh(request);
    if (grant == "urn:ietf:params:oauth:grant-type:jwt-bearer") {
      return CheckAssertion(request.get_param_value("assertion"));
    }
    if (grant != "urn:ietf:params:oauth:grant-type:token-exchange") return "grant_type";
    if (request.get_param_value("audience") != "//iam/pool") return "audience";
    return request.get_param_value("subject_token") == "subject" ? "" : "subject_token";
  }

  std::string NextToken() { return "token-" + std::to_string(++tokens); }

  bool Away(httplib::Response& response) {
    response.set_header("Date", DateText(std::time(nullptr) + date_shift));
    if (unavailable-- > 0) {
      response.status = 503;
      return true;
    }
    unavailable = 0;
    return false;
  }

  void OnToken(const httplib::Request& request, httplib::Response& response) {
    if (Away(response)) return;
    const std::string problem = Check(request);
    if (!problem.empty()) {
      response.status = 400;
      response.set_content(
          R"({"error":"invalid_grant","error_description":"wrong )" + Problem(problem) + "\"}",
          "application/json");
      return;
    }
    const bool person = request.get_param_value("grant_type") == "refresh_token";
    const std::string who =
        person
            ? R"(,"scope":"openid https://www.googleapis.com/auth/cloud-platform","id_token":")" +
                  IdToken() + "\""
            : "";
    response.set_content(R"({"access_token":")" + NextToken() + R"(","expires_in":)" +
                             std::to_string(lifetime) + R"(,"token_type":"Bearer")" + who + "}",
                         "application/json");
  }

  void OnImpersonation(const httplib::Request& request, httplib::Response& response) {
    if (Away(response)) return;
    if (!request.get_header_value("Authorization").starts_with("Bearer token-")) {
      Problem("authorization");
      response.status = 403;
      return;
    }
    response.set_content(
        R"({"accessToken":")" + NextToken() + R"(","expireTime":"2099-01-01T00:00:00Z"})",
        "application/json");
  }

  void OnMetadata(const httplib::Request& request, httplib::Response& response) {
    if (Away(response)) return;
    response.set_header("Metadata-Flavor", "Google");
    if (request.get_header_value("Metadata-Flavor") != "Google") {
      response.status = 403;
      return;
    }
    if (request.path.ends_with("/token")) {
      response.set_content(
          R"({"access_token":")" + NextToken() + R"(","expires_in":"3599","token_type":"Bearer"})",
          "application/json");
    } else if (request.path.ends_with("/email")) {
      response.set_content(kAccount, "text/plain");
    } else if (request.path.ends_with("/project-id")) {
      response.set_content("proj", "text/plain");
    } else if (request.path != "/") {
      response.status = 404;
    }
  }
};

TokenServer::TokenServer(Key key) : state_(std::make_unique<State>(key)) {
  State& state = *state_;
  state.server.Post("/token",
                    [&](const auto& request, auto& response) { state.OnToken(request, response); });
  state.server.Post("/v1/.*:generateAccessToken", [&](const auto& request, auto& response) {
    state.OnImpersonation(request, response);
  });
  state.server.Get(
      "/.*", [&](const auto& request, auto& response) { state.OnMetadata(request, response); });
  state.port = state.server.bind_to_any_port("127.0.0.1");
  state.thread = std::jthread([&state] { state.server.listen_after_bind(); });
  while (!state.server.is_running()) std::this_thread::yield();
}

TokenServer::~TokenServer() {
  state_->server.stop();
  state_->thread.join();
}

std::string TokenServer::Url() const { return "http://127.0.0.1:" + std::to_string(state_->port); }

std::string TokenServer::ServiceAccountJson() const {
  Value json{Value::Map{}};
  json.Set("type", "service_account");
  json.Set("project_id", "proj");
  json.Set("private_key_id", "key-1");
  json.Set("private_key", state_->pem);
  json.Set("client_email", kAccount);
  json.Set("token_uri", Url() + "/token");
  return json.ToJson();
}

std::string TokenServer::UserJson() const {
  Value json{Value::Map{}};
  json.Set("type", "authorized_user");
  json.Set("client_id", "id");
  json.Set("client_secret", "s/e+c&t=");
  json.Set("refresh_token", "1//refresh");
  json.Set("token_uri", Url() + "/token");
  json.Set("quota_project_id", "billed");
  return json.ToJson();
}

void TokenServer::BeUnavailable(int count) { state_->unavailable = count; }
void TokenServer::ShiftDate(int seconds) { state_->date_shift = seconds; }
void TokenServer::Revoke() { state_->revoked = true; }
void TokenServer::LastFor(int seconds) { state_->lifetime = seconds; }
int TokenServer::tokens() const { return state_->tokens; }

std::vector<std::string> TokenServer::problems() const {
  const std::lock_guard lock(state_->mutex);
  return state_->problems;
}

}  // namespace kinetic::test
