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
#include <vector>

namespace kinetic {

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
  std::chrono::microseconds first_byte{0};  ///< of the answer, after the start; 0: none came
  std::chrono::microseconds end{0};         ///< after the start
  bool new_connection = false;
};

/// Receives every completed request. Write may be called concurrently.
class KINETIC_EXPORT RequestSink {
 public:
  virtual ~RequestSink() = default;
  virtual void Write(const RequestTrace& trace) = 0;
};

/// How Google's servers are reached, and as whom. Nothing of it is looked at before a bucket is
/// used. The places of a credential are tried in this order, and empty ones are passed over.
struct CloudOptions {
  std::string access_token;               ///< a secret; it cannot be renewed
  std::filesystem::path token_file;       ///< an access token that somebody else keeps fresh
  std::filesystem::path credential_file;  ///< what GOOGLE_APPLICATION_CREDENTIALS names
  std::filesystem::path well_known_file;  ///< of `gcloud auth application-default login`
  std::string metadata_url;               ///< "http://metadata.google.internal"; asked last

  bool allow_programs = false;  ///< that a credential file names, to get a token from
  bool allow_loopback = false;  ///< token services on this machine that a credential file names
  std::string search_path;      ///< of such a program
  std::map<std::string, std::string> environment;  ///< of such a program, all of it

  std::string quota_project;  ///< charged for quota; empty: the one that the credential names
  std::string user_project;   ///< charged for buckets whose reader pays; may be empty
  /// "http://localhost:4443"; empty: Google's. To any other host than Google's no credential is
  /// shown that was only found: it must be named by one of the first three members.
  std::string storage_endpoint;

  std::string proxy;              ///< "http://user:password@host:3128"; a secret; empty: none
  std::string no_proxy;           ///< hosts reached without it, as in the variable of that name
  std::filesystem::path ca_file;  ///< PEM; the only certificates trusted; empty: the system's
  HttpVersion http_version = HttpVersion::kAuto;
  RequestSink* requests = nullptr;  ///< outlives the client; may be null
};

/// Whose credential is used, as far as it is known.
struct CredentialStatus {
  std::string kind;     ///< "authorized_user", "service_account", …; "none" for an emulator
  std::string account;  ///< e-mail address; may be empty
  std::string origin;   ///< "the file /home/ana/key.json"
  std::string project;  ///< that the credential names; may be empty
  std::string quota_project;
  std::string universe_domain;
  std::vector<std::string> scopes;  ///< empty: not known
  bool renewable = false;           ///< by kinetic itself, for as long as it is not revoked
  std::optional<std::chrono::system_clock::time_point> expiry;  ///< of the token in use
};

/// Finds the credential and has Google confirm that it is worth something.
///
/// @param   log  told of every request; may be null.
/// @errors  kUnauthenticated (none was found: the places looked at and what to do; revoked,
///          expired, malformed) · kPermissionDenied · kUnavailable (nobody could be asked).
KINETIC_EXPORT Result<CredentialStatus> CheckCredential(const CloudOptions& options, LogSink* log,
                                                        std::stop_token stop = {});

}  // namespace kinetic
