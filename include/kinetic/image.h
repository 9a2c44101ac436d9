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

namespace kinetic {

/// Compression of image layers. Container runtimes older than containerd 1.5 support only gzip.
enum class ImageCompression : std::uint8_t { kZstd, kGzip };

/// The parameters of the runner image.
struct RunnerImageRequest {
  std::filesystem::path runner;    ///< the kinetic-runner program
  std::filesystem::path launcher;  ///< the kinetic-launcher program; linked statically
  /// PEM: the certificates that the runner trusts where nothing else is configured.
  std::filesystem::path ca_certificates = "/etc/ssl/certs/ca-certificates.crt";
  /// "[REGISTRY/]NAME[:TAG]"; without a tag, "{version}-{12 hex digits of what is in it}".
  std::string name = "kinetic-runner";
  ImageCompression compression = ImageCompression::kZstd;
};

struct ImageLayer {
  std::string digest;   ///< "sha256:…", of the compressed bytes
  std::string diff_id;  ///< "sha256:…", of the tar archive in it
  std::uint64_t compressed_bytes = 0;
  std::uint64_t content_bytes = 0;
};

/// An image written to a file.
struct WrittenImage {
  std::string name;      ///< in full, as a container runtime knows it once it is imported
  std::string digest;    ///< "sha256:…", of the manifest
  std::string image_id;  ///< "sha256:…", of the configuration: the same however it is compressed
  std::vector<ImageLayer> layers;
};

/// Writes the image that the collector of a job on a cluster runs in: the runner with the shared
/// libraries of this machine that it needs, and nothing else, so that it starts without a
/// distribution below it. The same programs and libraries give the same bytes.
///
/// @param output  an OCI image layout as one tar archive, for `ctr images import` and tools that
///           read such; replaced when it is whole.
/// @errors   kNotFound: a program, or a library that it needs · kInvalidArgument: no program, a
///           name that is none · kUnimplemented: for other machines than amd64 and arm64 ·
///           kCancelled.
/// @threads  safe to call concurrently, for different files.
KINETIC_EXPORT Result<WrittenImage> WriteRunnerImage(const RunnerImageRequest& request,
                                                     const std::filesystem::path& output,
                                                     std::stop_token stop = {});

/// Connection and credentials for an image registry.
struct RegistryOptions {
  /// config.json of Docker, with the logins for registries; need not exist.
  std::filesystem::path docker_config;
  std::string search_path;                         ///< of the credential programs that it names
  std::map<std::string, std::string> environment;  ///< of such a program, all of it
  /// Without TLS, as registries on this machine (localhost) are asked anyway.
  bool plain_http = false;
  std::filesystem::path scratch;  ///< holds the image until it is sent; created if missing
  /// Proxy and certificates; and the credential that Google's registries are shown when Docker has
  /// no login for them.
  CloudOptions cloud = {};
  LogSink* log = nullptr;  ///< receives every request; outlives the call; may be null
};

/// An image in a registry.
struct PushedImage {
  WrittenImage image;
  std::string reference;  ///< "registry/repository:tag@sha256:…": this image, whatever gets the tag
  std::uint64_t sent_bytes = 0;
  std::uint64_t present_bytes = 0;  ///< already in the registry
};

/// Builds the image that WriteRunnerImage writes and pushes it to a registry: first the missing
/// layers, then the tag. An interrupted push can be repeated.
///
/// @param request  its name leads to the registry: "europe-docker.pkg.dev/project/folder/name".
/// @errors   those of WriteRunnerImage · kUnauthenticated (the registry wants a login: where one
///           was looked for, and what to do) · kPermissionDenied · kNotFound (no such repository) ·
///           kUnavailable (it could not be asked) · kDataLoss · kFailedPrecondition (TLS; a file or
///           program with logins that cannot be used).
/// @threads  safe to call concurrently.
KINETIC_EXPORT Result<PushedImage> PushRunnerImage(const RunnerImageRequest& request,
                                                   const RegistryOptions& options,
                                                   std::stop_token stop = {});

}  // namespace kinetic
