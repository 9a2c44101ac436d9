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

/// What is shown to an API server. All of it but the expiry is secret.
struct Credential {
  std::string authorization;    ///< "Bearer …", "Basic …"; empty: none
  std::string certificate_pem;  ///< with key_pem, or empty
  std::string key_pem;
  WallTime expiry = WallTime::max();

  /// Whether a server sees no difference.
  bool SameAs(const Credential& other) const {
    return authorization == other.authorization && certificate_pem == other.certificate_pem &&
           key_pem == other.key_pem;
  }
};

/// A way to come by credentials.
///
/// @threads  one call at a time.
class CredentialSource {
 public:
  virtual ~CredentialSource() = default;

  /// @param   refused  what a server did not take, so that it is not given again; may be null.
  /// @errors  kUnauthenticated, kFailedPrecondition: what to do is in the hint · kCancelled.
  virtual Result<Credential> Fetch(const Credential* refused, std::stop_token stop) = 0;
  /// Whether Fetch may give another one than before.
  virtual bool renewable() const { return true; }
};

/// The same for ever: a password, a token, a certificate, or nothing at all.
class FixedCredential final : public CredentialSource {
 public:
  explicit FixedCredential(Credential credential) : credential_(std::move(credential)) {}
  Result<Credential> Fetch(const Credential*, std::stop_token) override { return credential_; }
  bool renewable() const override { return false; }

 private:
  Credential credential_;
};

/// Hands out one credential to many callers until it expires; one caller fetches the next while the
/// others wait.
///
/// @threads  safe to call concurrently.
class CredentialCache {
 public:
  CredentialCache(std::unique_ptr<CredentialSource> source, Clock& clock)
      : source_(std::move(source)), clock_(&clock) {}

  /// @param refused  what a server did not take; null: whatever there is.
  Result<Credential> Get(const Credential* refused, std::stop_token stop);
  bool renewable() const { return source_->renewable(); }

 private:
  std::unique_ptr<CredentialSource> source_;
  Clock* clock_;
  std::mutex mutex_;
  std::condition_variable_any fetched_;
  std::optional<Credential> credential_;
  bool fetching_ = false;
};

/// A bearer token in a file that somebody else renews, read again about once a minute: the account
/// of a pod, or `tokenFile` of a kubeconfig.
class TokenFileCredential final : public CredentialSource {
 public:
  /// @param fallback  what is shown as long as the file has never been readable; may be empty.
  TokenFileCredential(Path path, std::string fallback, FileSystem& fs, Clock& clock)
      : file_(std::move(path), fs, clock), last_(std::move(fallback)), clock_(&clock) {}

  /// @errors  kUnauthenticated: there is no such file, or no token in it, and there never was.
  Result<Credential> Fetch(const Credential* refused, std::stop_token stop) override;

 private:
  auth::TokenFileSource file_;
  std::string last_;  ///< the token that was read last
  Clock* clock_;
};

}  // namespace kinetic::kube
