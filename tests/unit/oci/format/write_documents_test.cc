#include "oci/format/documents.h"
#include "oci/format/reference.h"

#include <gtest/gtest.h>

namespace kinetic::oci {
namespace {

const std::vector<Layer> kLayers = {
    {.blob = {media_type::kLayerGzip, Sha256::Of("gzip"), 5}, .diff_id = Sha256::Of("tar")}};

TEST(Documents, FollowTheSpecification) {
  const ImageConfig config{.architecture = "arm64",
                           .entrypoint = {"/bin/a", "b"},
                           .environment = {"PATH=/bin"},
                           .labels = {{"key", "value"}}};
  EXPECT_EQ(ConfigDocument(config, kLayers).ToJson(),
            R"({"created":"1970-01-01T00:00:00Z","architecture":"arm64","os":"linux",)"
            R"("config":{"Env":["PATH=/bin"],"Entrypoint":["/bin/a","b"],"WorkingDir":"/",)"
            R"("Labels":{"key":"value"}},"rootfs":{"type":"layers","diff_ids":["sha256:)" +
                Sha256::Of("tar").Hex() +
                R"("]},"history":[{"created":"1970-01-01T00:00:00Z","created_by":"kinetic"}]})");
  EXPECT_EQ(
      ManifestDocument({media_type::kConfig, Sha256::Of("c"), 7}, kLayers).ToJson(),
      R"({"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",)"
      R"("config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:)" +
          Sha256::Of("c").Hex() +
          R"(","size":7},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip",)"
          R"("digest":"sha256:)" +
          Sha256::Of("gzip").Hex() + R"(","size":5}]})");
  EXPECT_EQ(IndexDocument({media_type::kManifest, Sha256::Of("m"), 9},
                          {.registry = "docker.io", .repository = "library/a", .tag = "t"}, "arm64")
                .ToJson(),
            R"({"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json",)"
            R"("manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json",)"
            R"("digest":"sha256:)" +
                Sha256::Of("m").Hex() +
                R"(","size":9,"platform":{"architecture":"arm64","os":"linux"},"annotations":{)"
                R"("io.containerd.image.name":"docker.io/library/a:t",)"
                R"("org.opencontainers.image.ref.name":"t"}}]})");
}

}  // namespace
}  // namespace kinetic::oci
