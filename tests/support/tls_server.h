#pragma once

#include "support/certificates.h"

#include <memory>
#include <string>

namespace kinetic::test {

/// An https server on 127.0.0.1 that answers every GET with "hello", and with a client authority
/// only to those who show a certificate of it.
class TlsServer {
 public:
  explicit TlsServer(const Certificate& certificate, const std::string& client_authority_pem = {});
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
