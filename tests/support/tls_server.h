#pragma once

#include "support/certificates.h"

#include <functional>
#include <map>
#include <memory>
#include <string>

namespace kinetic::test {

/// An https server on 127.0.0.1 that answers every GET of "/" with "hello". With a client authority
/// it requires a client certificate.
class TlsServer {
 public:
  struct Seen {
    std::string path;
    std::multimap<std::string, std::string> headers;  ///< names in lower case

    std::string Header(const std::string& name) const;
  };
  struct Answer {
    int status = 200;
    std::string body;
  };
  /// Answers every GET; called on several threads.
  using Handler = std::function<Answer(const Seen&)>;

  explicit TlsServer(const Certificate& certificate, const std::string& client_authority_pem = {},
                     Handler handler = {});
  ~TlsServer();
  TlsServer(const TlsServer&) = delete;
  TlsServer& operator=(const TlsServer&) = delete;

  int port() const;
  /// "https://127.0.0.1:PORT"
  std::string Url() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinetic::test
