#pragma once

#include "env/image/registry_images.h"
#include "http/transport.h"
#include "oci/registry/repository.h"
#include "support/fake_clock.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kinetic::env {

/// Registries in memory that contain whole images and can be unavailable.
class FakeImageRegistries final : public ImageRegistries, private http::Transport {
 public:
  /// Adds an image for amd64 under "registry/name:tag".
  ///
  /// @returns "sha256:…" of its manifest.
  std::string Put(const std::string& reference, const std::map<std::string, std::string>& labels);

  /// Makes a registry respond to every request with a status: 503, 401.
  void Refuse(const std::string& registry, int status) { refusals_[registry] = status; }

  Result<const oci::Repository*> OpenToRead(const oci::Reference& image) override;
  Result<const oci::Repository*> OpenToWrite(const oci::Reference& image,
                                             const std::vector<std::string>&) override {
    return OpenToRead(image);
  }

 private:
  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override;

  test::FakeClock clock_;
  std::map<std::string, std::string> documents_;  ///< by URL
  std::map<std::string, int> refusals_;
  std::vector<std::unique_ptr<oci::Repository>> open_;
};

}  // namespace kinetic::env
