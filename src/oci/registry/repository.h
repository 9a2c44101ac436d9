#pragma once

#include "kinetic/error.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "http/body.h"
#include "http/retry.h"
#include "http/transport.h"
#include "http/url.h"
#include "oci/format/reference.h"
#include "oci/registry/access.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

/// Maps an error response: 404 kNotFound · 401 kUnauthenticated · 403 kPermissionDenied · 408, 429,
/// 5xx kUnavailable · digest mismatch kDataLoss · 400 kInvalidArgument · 405 kUnimplemented · 413
/// kResourceExhausted · others kFailedPrecondition.
///
/// @source  https://github.com/opencontainers/distribution-spec/blob/v1.1.0/spec.md#error-codes
Error ErrorFromResponse(const http::Request& request, const http::Response& response);

/// Returns whether an error response has a code such as "BLOB_UPLOAD_UNKNOWN".
bool HasErrorCode(const http::Response& response, std::string_view code);

struct RepositoryOptions {
  http::RetryPolicy retry{.max_attempts = 8};
  std::chrono::milliseconds stall_timeout{60'000};  ///< see http::Request
};

struct StoredManifest {
  std::string media_type;
  Digest digest;
  std::string bytes;
};

/// One repository of a registry: manifests by tag or digest, and blobs by digest. Retries transient
/// errors. The transport adds credentials. `name` is a tag or "sha256:…".
///
/// @errors   of all functions: those of the transport and of ErrorFromResponse · kDataLoss: content
///           does not match its digest.
/// @source   https://github.com/opencontainers/distribution-spec/blob/v1.1.0/spec.md
/// @threads  as the transport.
class Repository {
 public:
  /// `transport` and `clock` must outlive this object.
  Repository(http::Transport& transport, Clock& clock, RegistryAddress registry, std::string name,
             RepositoryOptions options = {});

  /// Returns "localhost:5000/team/app".
  std::string Text() const { return registry_.name + "/" + name_; }
  const RegistryAddress& registry() const { return registry_; }
  const std::string& name() const { return name_; }

  /// Returns the digest of a manifest or index, or nullopt if it does not exist.
  Result<std::optional<Digest>> FindManifest(const std::string& name, std::stop_token stop) const;

  /// If `name` is a digest, verifies the content.
  Result<StoredManifest> ReadManifest(const std::string& name, std::stop_token stop) const;

  /// Stores or replaces a manifest or index. Its blobs must exist.
  Status PutManifest(std::string_view media_type, const std::string& bytes, const std::string& name,
                     std::stop_token stop) const;

  /// Removes a tag, or a manifest with all its tags if `name` is a digest. Succeeds if it does not
  /// exist. The registry's garbage collection removes the blobs.
  ///
  /// @errors also kUnimplemented: the registry does not support deletion, or not of tags.
  Status RemoveManifest(const std::string& name, std::stop_token stop) const;

  /// Returns all tags in the registry's order; none if the repository does not exist.
  Result<std::vector<std::string>> ListTags(std::stop_token stop) const;

  Result<bool> HasBlob(const Digest& digest, std::stop_token stop) const;

  /// Passes a blob to `sink` in order and resumes after a lost connection. The content is verified
  /// only when the function returns.
  Status ReadBlob(const Descriptor& blob, const http::Sink& sink, std::stop_token stop) const;

  /// Uploads a blob unless it exists.
  ///
  /// @returns whether any of it was sent.
  Result<bool> UploadBlob(const Descriptor& blob, const std::shared_ptr<http::Body>& body,
                          std::stop_token stop) const;

  /// Mounts a blob from another repository ("team/base") of the same registry.
  ///
  /// @returns whether the blob was mounted; if not, it must be uploaded.
  Result<bool> MountBlob(const Descriptor& blob, const std::string& from_repository,
                         std::stop_token stop) const;

 private:
  struct Attempt {
    std::optional<Error> error;
    bool retryable = false;
    std::optional<std::chrono::milliseconds> retry_after;
  };

  /// Returns "localhost:5000/team/app:1.0" or "localhost:5000/team/app@sha256:…".
  std::string QualifiedName(const std::string& name) const;
  /// Returns "https://host/v2/team/app".
  http::Url BaseUrl() const;
  http::Request MakeRequest(std::string method, std::string url) const;
  Result<http::Response> Send(const http::Request& request, const std::string& operation,
                              std::stop_token stop) const;
  Failure Rejected(const http::Request& request, const http::Response& response,
                   const std::string& operation) const;
  /// Cancels an upload, which the registry would otherwise keep for days.
  Status CancelUpload(const http::Response& begun, std::stop_token stop) const;
  Attempt TryUpload(const Descriptor& blob, const std::shared_ptr<http::Body>& body,
                    std::stop_token stop) const;
  static Attempt Classify(const http::Request& request, const Result<http::Response>& response,
                          bool is_done);

  http::Transport* transport_;
  Clock* clock_;
  RegistryAddress registry_;
  std::string name_;
  RepositoryOptions options_;
};

/// Downloads a blob to a new file. Removes the file if the download fails.
///
/// @errors  those of Repository::ReadBlob and of FileSystem.
Status FetchBlob(FileSystem& fs, const Repository& from, const Descriptor& blob, const Path& file,
                 std::stop_token stop);

/// Copies a blob between repositories: mounts it within a registry, else downloads it to a verified
/// temporary file in `scratch` and uploads that.
///
/// @returns the number of bytes sent, 0 if the blob existed or was mounted.
/// @errors  those of Repository and of FileSystem.
Result<std::uint64_t> CopyBlob(FileSystem& fs, const Repository& from, const Repository& to,
                               const Descriptor& blob, const Path& scratch, std::stop_token stop);

}  // namespace kinetic::oci
