#pragma once

#include "kinetic/result.h"

#include "auth/source/token_sources.h"
#include "base/time/clock.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::kube {

/// A credential for an API server. Everything except the expiry is secret.
struct Credential {
  std::string authorization;    ///< "Bearer …", "Basic …"; empty: none
  std::string certificate_pem;  ///< with key_pem, or empty
  std::string key_pem;
  WallTime expiry = WallTime::max();

  /// Compares everything except the expiry.
  bool SameAs(const Credential& other) const {
    return authorization == other.authorization && certificate_pem == other.certificate_pem &&
           key_pem == other.key_pem;
  }
};

/// Fetches credentials; CredentialCache caches them. Not thread-safe.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;

  /// @param   rejected  a credential that a server rejected, which must not be returned again; may
  ///                    be null.
  /// @errors  kUnauthenticated · kFailedPrecondition · kCancelled.
  virtual Result<Credential> Fetch(const Credential* rejected, std::stop_token stop) = 0;
  /// Returns whether Fetch can return a different credential next time.
  virtual bool renewable() const { return true; }
};

/// A credential that never changes: a password, token or certificate, or none.
class StaticCredentialSource final : public CredentialSource {
 public:
  explicit StaticCredentialSource(Credential credential) : credential_(std::move(credential)) {}
  Result<Credential> Fetch(const Credential*, std::stop_token) override { return credential_; }
  bool renewable() const override { return false; }

 private:
  Credential credential_;
};

/// Caches a credential until it expires. One caller fetches the next while the others wait.
///
/// @threads  safe to call concurrently.
class CredentialCache {
 public:
  CredentialCache(std::unique_ptr<CredentialSource> source, Clock& clock)
      : source_(std::move(source)), clock_(&clock) {}

  /// @param rejected  a credential that a server rejected; may be null.
  Result<Credential> Get(const Credential* rejected, std::stop_token stop);
  bool renewable() const { return source_->renewable(); }

 private:
  std::unique_ptr<CredentialSource> source_;
  Clock* clock_;
  std::mutex mutex_;
  std::condition_variable_any fetched_;
  std::optional<Credential> credential_;
  bool fetching_ = false;
};

/// A bearer token in a file that another program refreshes, such as a pod's service account token
/// or `tokenFile` of a kubeconfig. The file is read about once a minute.
class TokenFileCredentialSource final : public CredentialSource {
 public:
  /// @param fallback  the token to use until the file was readable once; may be empty.
  TokenFileCredentialSource(Path path, std::string fallback, FileSystem& fs, Clock& clock)
      : file_(std::move(path), fs, clock), last_token_(std::move(fallback)), clock_(&clock) {}

  /// @errors  kUnauthenticated: the file has never contained a token.
  Result<Credential> Fetch(const Credential* rejected, std::stop_token stop) override;

 private:
  auth::TokenFileSource file_;
  std::string last_token_;
  Clock* clock_;
};

}  // namespace kinetic::kube
