#include "support/tls_server.h"

#include "base/strings.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <httplib.h>

#include <thread>

namespace kinetic::test {
namespace {

X509* ReadCertificate(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* certificate = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return certificate;
}

EVP_PKEY* ReadKey(const std::string& pem) {
  BIO* bio = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  BIO_free(bio);
  return key;
}

X509_STORE* Trusting(const std::string& pem) {
  if (pem.empty()) return nullptr;
  X509_STORE* store = X509_STORE_new();
  X509* certificate = ReadCertificate(pem);
  X509_STORE_add_cert(store, certificate);
  X509_free(certificate);
  return store;
}

}  // namespace

struct TlsServer::State {
  X509* certificate;
  EVP_PKEY* key;
  httplib::SSLServer server;
  int port = 0;
  std::jthread thread;

  State(X509* certificate_, EVP_PKEY* key_, X509_STORE* clients)
      : certificate(certificate_), key(key_), server(certificate, key, clients) {}
};

std::string TlsServer::Seen::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

TlsServer::TlsServer(const Certificate& certificate, const std::string& client_authority_pem,
                     Handler handler)
    : state_(std::make_unique<State>(ReadCertificate(certificate.certificate_pem),
                                     ReadKey(certificate.key_pem),
                                     Trusting(client_authority_pem))) {
  if (!handler) {
    state_->server.Get("/", [](const httplib::Request&, httplib::Response& response) {
      response.set_content("hello", "text/plain");
    });
  } else {
    state_->server.Get(".*", [handler = std::move(handler)](const httplib::Request& request,
                                                            httplib::Response& response) {
      Seen seen{request.path, {}};
      for (const auto& [name, value] : request.headers) seen.headers.emplace(ToLower(name), value);
      const Answer answer = handler(seen);
      response.status = answer.status;
      response.set_content(answer.body, "application/json");
    });
  }
  state_->port = state_->server.bind_to_any_port("127.0.0.1");
  state_->thread = std::jthread([this] { state_->server.listen_after_bind(); });
  while (!state_->server.is_running()) std::this_thread::yield();
}

TlsServer::~TlsServer() {
  state_->server.stop();
  state_->thread.join();
  X509_free(state_->certificate);
  EVP_PKEY_free(state_->key);
}

int TlsServer::port() const { return state_->port; }

std::string TlsServer::Url() const { return "https://127.0.0.1:" + std::to_string(state_->port); }

}  // namespace kinetic::test
