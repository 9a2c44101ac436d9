#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace kinetic::test {

/// A certificate and its key for one test.
struct Certificate {
  std::string certificate_pem;
  std::string key_pem;
};

/// Properties of a certificate.
struct CertificateRequest {
  std::string name;  ///< host name, or 127.0.0.1
  std::chrono::seconds not_before{-3600};
  std::chrono::seconds not_after{3600};
};

/// A certificate authority that is not trusted by default.
class Authority {
 public:
  Authority();
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  std::string Pem() const;
  Certificate Issue(const CertificateRequest& request) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinetic::test
