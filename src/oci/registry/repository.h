#pragma once

#include "kinetic/error.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "http/body.h"
#include "http/retry.h"
#include "http/transport.h"
#include "http/url.h"
#include "oci/format/descriptor.h"
#include "oci/registry/reference.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::oci {

/// How patiently a registry is asked.
struct RepositoryOptions {
  http::RetryPolicy retry;
  /// The longest time in which no byte of a request moves; see http::Request.
  std::chrono::milliseconds stall_timeout{60'000};
};

/// A manifest or an index as a registry has it.
struct StoredManifest {
  std::string media_type;
  Digest digest;
  std::string bytes;
};

/// One repository of a registry: manifests by tag or digest, and blobs by digest. Requests that may
/// pass are sent again. The transport shows the credential.
///
/// @errors   of every call: those of the transport and of ErrorOf, with what was being done:
///           kNotFound (absent) · kUnauthenticated, kPermissionDenied (not allowed) · kUnavailable
///           (could not ask) · kDataLoss (other bytes than the digest says).
/// @source   https://github.com/opencontainers/distribution-spec/blob/v1.1.0/spec.md
/// @threads  as the transport.
class Repository {
 public:
  /// Transport and clock outlive it.
  Repository(http::Transport& transport, Clock& clock, RegistryAddress registry, std::string name,
             RepositoryOptions options = {});

  /// "localhost:5000/team/app"
  std::string Text() const { return registry_.name + "/" + name_; }
  const RegistryAddress& registry() const { return registry_; }
  const std::string& name() const { return name_; }

  /// The digest of what is called so. Nothing: nothing is.
  ///
  /// @param name  a tag, or "sha256:…".
  Result<std::optional<Digest>> FindManifest(const std::string& name, std::stop_token stop) const;

  /// @param name  as FindManifest; the bytes are those of a digest.
  Result<StoredManifest> ReadManifest(const std::string& name, std::stop_token stop) const;

  /// Stores a manifest or an index under a name, replacing what had it. Blobs go before.
  Status PutManifest(std::string_view media_type, const std::string& bytes, const std::string& name,
                     std::stop_token stop) const;

  /// Takes away what is called so: a tag, or by its digest a manifest with all its tags. What is
  /// not there is no error. Blobs stay until the registry collects them.
  ///
  /// @param  name  as FindManifest.
  /// @errors also kUnimplemented: the registry does not delete, or no tags.
  Status RemoveManifest(const std::string& name, std::stop_token stop) const;

  /// All tags, in the registry's order. A repository that is not there has none.
  Result<std::vector<std::string>> ListTags(std::stop_token stop) const;

  Result<bool> HasBlob(const Digest& digest, std::stop_token stop) const;

  /// Passes a blob to `sink` in order, going on after a cut where it stopped. What was passed is
  /// the blob only when this has succeeded: the digest is known at the end.
  Status ReadBlob(const Descriptor& blob, const http::Sink& sink, std::stop_token stop) const;

  /// Stores a blob, unless it is there.
  ///
  /// @param   body  of the descriptor's size.
  /// @returns whether any of it was sent.
  Result<bool> Upload(const Descriptor& blob, const std::shared_ptr<http::Body>& body,
                      std::stop_token stop) const;

  /// Takes a blob over from another repository of the same registry, without a byte of it sent.
  ///
  /// @param   from_repository  its name: "team/base".
  /// @returns whether the blob is there now; if not, it is to be sent.
  Result<bool> Mount(const Descriptor& blob, const std::string& from_repository,
                     std::stop_token stop) const;

 private:
  /// One try at something.
  struct Try {
    std::optional<Error> failed;
    bool may_pass = false;
    std::optional<std::chrono::milliseconds> retry_after;
  };

  /// "localhost:5000/team/app:1.0", "localhost:5000/team/app@sha256:…"
  std::string NameHere(const std::string& name) const;
  /// "https://host/v2/team/app"
  http::Url Address() const;
  http::Request RequestTo(std::string method, std::string url) const;
  /// Until there is a final answer.
  Result<http::Response> Send(const http::Request& request, const std::string& doing,
                              std::stop_token stop) const;
  Failure Refused(const http::Request& request, const http::Response& response,
                  const std::string& doing) const;

  /// Ends an upload that is not wanted, which the registry would else keep for days.
  Status EndSession(const http::Response& begun, std::stop_token stop) const;
  Try UploadOnce(const Descriptor& blob, const std::shared_ptr<http::Body>& body,
                 std::stop_token stop) const;
  static Try Judge(const http::Request& request, const Result<http::Response>& response,
                   bool is_done);

  http::Transport* transport_;
  Clock* clock_;
  RegistryAddress registry_;
  std::string name_;
  RepositoryOptions options_;
};


/// Writes a blob into a new file, which is there in the end only if it is that blob.
///
/// @errors  those of Repository::ReadBlob and of FileSystem.
Status FetchBlob(FileSystem& fs, const Repository& from, const Descriptor& blob, const Path& file,
                 std::stop_token stop);

/// Puts a blob of one repository into another one: by the registry itself where both are of the
/// same, else through a file, in bounded memory. Nothing is sent before it is known to be that
/// blob.
///
/// @param   scratch  a folder for the file, which is gone in the end; made when it is absent.
/// @returns how many bytes were sent; none when the blob is there already.
/// @errors  those of Repository and of FileSystem.
Result<std::uint64_t> CopyBlob(FileSystem& fs, const Repository& from, const Repository& to,
                               const Descriptor& blob, const Path& scratch, std::stop_token stop);

/// What a refusal of a registry means: the one map from its answers to ours.
///
/// 404 kNotFound · 401 kUnauthenticated · 403 kPermissionDenied · 408, 429, 5xx kUnavailable ·
/// another digest than was declared kDataLoss · 400 kInvalidArgument · 405 kUnimplemented · 413
/// kResourceExhausted · any other kFailedPrecondition.
///
/// @source  https://github.com/opencontainers/distribution-spec/blob/v1.1.0/spec.md#error-codes
Error ErrorOf(const http::Request& request, const http::Response& response);

/// Whether an answer has this error code: "BLOB_UPLOAD_UNKNOWN".
bool Says(const http::Response& response, std::string_view code);

}  // namespace kinetic::oci
