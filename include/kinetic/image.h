#pragma once

#include "kinetic/result.h"

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic {

/// How the layers of an image are compressed. Container runtimes older than containerd 1.5 know
/// gzip alone.
enum class ImageCompression : std::uint8_t { kZstd, kGzip };

/// What the image of the runner is made from.
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

/// An image in a file.
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
/// @param output  an OCI image layout as one tar archive, for `ctr images import`
///                and `skopeo copy oci-archive:…`; replaced when it is whole.
/// @errors   kNotFound: a program, or a library that it needs · kInvalidArgument: no program, a
///           name that is none · kUnimplemented: for other machines than amd64 and arm64 ·
///           kCancelled.
/// @threads  safe to call concurrently, for different files.
KINETIC_EXPORT Result<WrittenImage> WriteRunnerImage(const RunnerImageRequest& request,
                                                     const std::filesystem::path& output,
                                                     std::stop_token stop = {});

}  // namespace kinetic
