#pragma once

#include "kinetic/cloud.h"
#include "kinetic/log.h"
#include "kinetic/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::inline v0 {

/// Compression of image layers. Container runtimes older than containerd 1.5 support only gzip.
enum class ImageCompression : std::uint8_t { kZstd, kGzip };

/// The parameters of the runner image.
struct RunnerImageRequest {
  std::filesystem::path runner;    ///< the kinetic-runner program
  std::filesystem::path launcher;  ///< the statically linked kinetic-launcher program
  /// CA certificates (PEM) that the runner trusts by default.
  std::filesystem::path ca_certificates = "/etc/ssl/certs/ca-certificates.crt";
  /// "[REGISTRY/]NAME[:TAG]"; without a tag, "{version}-{12 digits of the content's digest}".
  std::string name = "kinetic-runner";
  ImageCompression compression = ImageCompression::kZstd;
};

struct ImageLayer {
  std::string digest;   ///< "sha256:…" of the compressed bytes
  std::string diff_id;  ///< "sha256:…" of the tar archive
  std::uint64_t compressed_bytes = 0;
  std::uint64_t content_bytes = 0;
};

/// An image written to a file.
struct WrittenImage {
  std::string name;      ///< full name, as container runtimes show it
  std::string digest;    ///< "sha256:…" of the manifest
  std::string image_id;  ///< "sha256:…" of the configuration; independent of compression
  std::vector<ImageLayer> layers;
};

/// Writes the runner image, in which the collector of a job on a cluster runs. It contains only the
/// runner and the shared libraries of this machine that it needs. Identical inputs produce an
/// identical image.
///
/// @param output  receives an OCI image layout as a tar archive, for `ctr images import`. Replaced
///           atomically.
/// @errors   kNotFound: a program or library · kInvalidArgument: not a program, or an invalid name
///           · kUnimplemented: a platform other than amd64 and arm64 · kCancelled.
/// @threads  safe to call concurrently, for different files.
KINETIC_EXPORT Result<WrittenImage> WriteRunnerImage(const RunnerImageRequest& request,
                                                     const std::filesystem::path& output,
                                                     std::stop_token stop = {});

/// Connection and credentials for an image registry.
struct RegistryOptions {
  /// Docker's config.json with registry logins; need not exist.
  std::filesystem::path docker_config;
  std::string search_path;                         ///< PATH of its credential helpers
  std::map<std::string, std::string> environment;  ///< their complete environment
  /// Connect without TLS (always for localhost).
  bool plain_http = false;
  std::filesystem::path scratch;  ///< for temporary files; created if missing
  /// Proxy, certificates, and the credential for Google's registries if Docker has no login.
  CloudOptions cloud = {};
  LogSink* log = nullptr;  ///< receives every request; outlives the call; may be null
};

/// An image in a registry.
struct PushedImage {
  WrittenImage image;
  std::string reference;  ///< "registry/repository:tag@sha256:…"
  std::uint64_t sent_bytes = 0;
  std::uint64_t present_bytes = 0;  ///< already in the registry
};

/// Builds the image that WriteRunnerImage writes and pushes it to a registry: first the missing
/// layers, then the tag. An interrupted push can be repeated.
///
/// @param request  its name includes the registry: "europe-docker.pkg.dev/project/folder/name".
/// @errors   those of WriteRunnerImage · kUnauthenticated (no valid login) · kPermissionDenied ·
///           kNotFound (no such repository) · kUnavailable (no response) · kDataLoss ·
///           kFailedPrecondition (TLS, or an unusable login file or credential helper).
/// @threads  safe to call concurrently.
KINETIC_EXPORT Result<PushedImage> PushRunnerImage(const RunnerImageRequest& request,
                                                   const RegistryOptions& options,
                                                   std::stop_token stop = {});

}  // namespace kinetic::inline v0
