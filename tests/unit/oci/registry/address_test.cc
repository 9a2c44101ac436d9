#include "oci/registry/access.h"

#include <gtest/gtest.h>

namespace kinetic::oci {
namespace {

TEST(RegistryAddress, UsesTlsExceptForLoopback) {
  EXPECT_EQ(ResolveRegistry("registry.example", false).url, "https://registry.example");
  EXPECT_EQ(ResolveRegistry("registry.example:5000", false).url, "https://registry.example:5000");
  EXPECT_EQ(ResolveRegistry("127.0.0.1.example", false).url, "https://127.0.0.1.example");
  EXPECT_EQ(ResolveRegistry("localhost.example", false).url, "https://localhost.example");
  for (const char* here : {"localhost", "localhost:5000", "127.0.0.1:5000", "[::1]:5000"}) {
    EXPECT_EQ(ResolveRegistry(here, false).url, std::string("http://") + here);
  }
  EXPECT_EQ(ResolveRegistry("registry.example", true).url, "http://registry.example");
}

TEST(RegistryAddress, MapsDockerHubToItsHost) {
  EXPECT_EQ(ResolveRegistry("docker.io", false).url, "https://registry-1.docker.io");
  EXPECT_EQ(ResolveRegistry("docker.io", true).url, "https://registry-1.docker.io");
  EXPECT_EQ(ResolveRegistry("docker.io", false).name, "docker.io");
}

TEST(RegistryAddress, RecognizesGoogleRegistries) {
  EXPECT_TRUE(IsGoogleRegistry("europe-docker.pkg.dev"));
  EXPECT_TRUE(IsGoogleRegistry("gcr.io"));
  EXPECT_TRUE(IsGoogleRegistry("eu.gcr.io"));
  EXPECT_FALSE(IsGoogleRegistry("notgcr.io"));
  EXPECT_FALSE(IsGoogleRegistry("pkg.dev.example"));
  EXPECT_FALSE(IsGoogleRegistry("europe-docker.pkg.dev:8443"));
}

}  // namespace
}  // namespace kinetic::oci
