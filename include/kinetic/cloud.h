#pragma once

#include "kinetic/export.h"
#include "kinetic/log.h"
#include "kinetic/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::inline v0 {

enum class HttpVersion : std::uint8_t { kAuto, kOne, kTwo };

/// A completed request to a server. Contains no secrets.
struct RequestTrace {
  std::string method;
  std::string url;    ///< without credentials
  int status = 0;     ///< 0: no response
  std::string error;  ///< why there was no response; may be empty
  std::uint64_t sent_bytes = 0;
  std::uint64_t received_bytes = 0;
  std::chrono::steady_clock::time_point start;
  std::chrono::microseconds first_byte{0};  ///< of the response, after the start; 0: no response
  std::chrono::microseconds end{0};         ///< after the start
  bool new_connection = false;
};

/// Receives every completed request. Write may be called concurrently.
class KINETIC_EXPORT RequestSink {
 public:
  virtual ~RequestSink() = default;
  virtual void Write(const RequestTrace& trace) = 0;
};

/// Receives what operations wait for.
class KINETIC_EXPORT WaitSink {
 public:
  virtual ~WaitSink() = default;
  /// Called when a request is retried, and every 5 seconds while a server does not respond. May be
  /// called concurrently; must not block for long.
  ///
  /// @param what     "retrying: 503 from Cloud Storage", "waiting for storage.googleapis.com".
  /// @param elapsed  since the wait began.
  virtual void OnWait(std::string_view what, std::chrono::milliseconds elapsed) = 0;
};

/// Connection and credential for Google's servers. Used only when a bucket, cluster or registry of
/// Google is used. Credentials are tried in the order of the members; empty members are skipped.
struct CloudOptions {
  std::string access_token;               ///< a secret; cannot be renewed
  std::filesystem::path token_file;       ///< an access token that another program renews
  std::filesystem::path credential_file;  ///< as in GOOGLE_APPLICATION_CREDENTIALS
  std::filesystem::path well_known_file;  ///< written by `gcloud auth application-default login`
  std::string metadata_url;               ///< "http://metadata.google.internal"; tried last

  bool allow_programs = false;                     ///< run the token program of a credential file
  bool allow_loopback = false;                     ///< use token services on this machine
  std::string search_path;                         ///< PATH of token programs
  std::map<std::string, std::string> environment;  ///< their complete environment

  std::string quota_project;  ///< charged for quota; empty: the credential's
  std::string user_project;   ///< charged for requester-pays buckets; may be empty
  /// "http://localhost:4443"; empty: Google's. Other hosts receive only credentials that one of the
  /// first three members specifies.
  std::string storage_endpoint;

  /// Emulator of the Google APIs that `kinetic up` uses: requests to SERVICE.googleapis.com go to
  /// URL/SERVICE.googleapis.com. Empty: Google's. Receives credentials as storage_endpoint.
  std::string api_endpoint;

  std::string proxy;              ///< "http://user:password@host:3128"; a secret; empty: none
  std::string no_proxy;           ///< hosts to connect to directly, as in the variable NO_PROXY
  std::filesystem::path ca_file;  ///< PEM; the only certificates trusted; empty: the system's
  HttpVersion http_version = HttpVersion::kAuto;
  /// How long a failing Cloud Storage request is retried. With the default, only 15 seconds until the
  /// server has responded once, because a wrong address is then more likely than an outage.
  std::chrono::seconds retry_for{120};
  RequestSink* requests = nullptr;  ///< outlives the client; may be null
  WaitSink* waits = nullptr;        ///< outlives the client; may be null
};

/// The active credential. Fields are empty if unknown.
struct CredentialStatus {
  std::string kind;     ///< "authorized_user", "service_account", …; "none" for an emulator
  std::string account;  ///< email address
  std::string origin;   ///< "the file /home/ana/key.json"
  std::string project;  ///< specified by the credential
  std::string quota_project;
  std::string universe_domain;
  std::vector<std::string> scopes;  ///< empty: unknown
  bool renewable = false;           ///< kinetic can renew it until it is revoked
  std::optional<std::chrono::system_clock::time_point> expiry;  ///< of the current token
};

/// Finds the credential and checks with Google that it is valid.
///
/// @param   log  receives every request; may be null.
/// @errors  kUnauthenticated (not found, revoked, expired or malformed) · kPermissionDenied ·
///          kUnavailable (no response).
KINETIC_EXPORT Result<CredentialStatus> CheckCredential(const CloudOptions& options, LogSink* log,
                                                        std::stop_token stop = {});

}  // namespace kinetic::inline v0
