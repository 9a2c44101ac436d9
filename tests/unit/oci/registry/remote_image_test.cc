#include "oci/registry/remote_image.h"

#include "kinetic/value.h"

#include "oci/format/reference.h"
#include "support/fake_clock.h"
#include "support/scripted_transport.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace kinetic::oci {
namespace {

using kinetic::test::FakeClock;
using kinetic::test::ScriptedTransport;

struct MediaTypes {
  std::string_view index, manifest, config, layer;
};
constexpr MediaTypes kOci{media_type::kIndex, media_type::kManifest, media_type::kConfig,
                          media_type::kLayerZstd};
constexpr MediaTypes kDocker{media_type::kDockerIndex, media_type::kDockerManifest,
                             media_type::kDockerConfig, media_type::kDockerLayerGzip};

Value::Map DescriptorOf(std::string_view type, const std::string& bytes) {
  return {{"mediaType", std::string(type)},
          {"digest", DigestString(Sha256::Of(bytes))},
          {"size", static_cast<std::int64_t>(bytes.size())}};
}

std::string ConfigFor(const std::string& architecture) {
  return Value(Value::Map{{"architecture", architecture},
                          {"os", "linux"},
                          {"config", Value::Map{{"Env", Value::List{"PATH=/bin"}}}}})
      .ToJson();
}

std::string ManifestWith(const std::string& config, Value::Map layer,
                         const MediaTypes& kind = kOci) {
  return Value(Value::Map{{"schemaVersion", 2},
                          {"mediaType", std::string(kind.manifest)},
                          {"config", DescriptorOf(kind.config, config)},
                          {"layers", Value::List{std::move(layer)}}})
      .ToJson();
}

std::string ManifestOf(const std::string& config, const MediaTypes& kind = kOci) {
  return ManifestWith(config, DescriptorOf(kind.layer, "layer"), kind);
}

Value Entry(const std::string& manifest, Value::Map platform, const MediaTypes& kind = kOci) {
  Value::Map entry = DescriptorOf(kind.manifest, manifest);
  entry.emplace_back("platform", std::move(platform));
  return entry;
}

Value::Map Linux(const std::string& architecture) {
  return {{"architecture", architecture}, {"os", "linux"}};
}

std::string IndexOf(Value::List entries, const MediaTypes& kind = kOci) {
  return Value(Value::Map{{"schemaVersion", 2},
                          {"mediaType", std::string(kind.index)},
                          {"manifests", std::move(entries)}})
      .ToJson();
}

class RegistryImageTest : public testing::Test {
 protected:
  Result<RegistryImage> Read(const std::string& name = "3.12") {
    return ReadRegistryImage(repository_, name, "amd64", {});
  }
  Error Refusal(const std::string& name = "3.12") {
    const auto read = Read(name);
    EXPECT_FALSE(read);
    EXPECT_TRUE(script_.Done());
    return read ? Error{} : read.error();
  }

  ScriptedTransport script_;
  FakeClock clock_;
  Repository repository_{script_, clock_, ResolveRegistry("registry.example", false),
                         "team/python"};
};

TEST_F(RegistryImageTest, ReadsByTag) {
  for (const MediaTypes& kind : {kOci, kDocker}) {
    const std::string config = ConfigFor("amd64");
    const std::string manifest = ManifestOf(config, kind);
    script_.Answer(200, manifest).Answer(200, config);
    const auto read = Read();
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->name, "registry.example/team/python:3.12");
    EXPECT_EQ(read->digest, Sha256::Of(manifest));
    EXPECT_EQ(read->root_digest, Sha256::Of(manifest));
    EXPECT_EQ(read->architecture, "amd64");
    EXPECT_EQ(read->config.media_type, kind.config);
    EXPECT_EQ(read->config.digest, Sha256::Of(config));
    EXPECT_EQ(read->config_json, config);
    ASSERT_EQ(read->layers.size(), 1U);
    EXPECT_EQ(read->layers[0].media_type, kind.layer);
    EXPECT_EQ(read->layers[0].digest, Sha256::Of("layer"));
    EXPECT_EQ(read->layers[0].size_bytes, 5U);
  }
}

TEST_F(RegistryImageTest, SelectsFromAnIndexByArchitecture) {
  for (const MediaTypes& kind : {kOci, kDocker}) {
    const std::string config = ConfigFor("amd64");
    const std::string manifest = ManifestOf(config, kind);
    const std::string other = ManifestOf(ConfigFor("arm64"), kind);
    const std::string index = IndexOf(
        {Entry(other, {{"architecture", "arm64"}, {"os", "linux"}, {"variant", "v8"}}, kind),
         Entry(other, {{"architecture", "unknown"}, {"os", "unknown"}}, kind),
         Entry(other, {{"architecture", "amd64"}, {"os", "windows"}}, kind),
         Entry(other, {{"architecture", "amd64"}, {"os", "linux"}, {"variant", "v3"}}, kind),
         Entry(manifest, Linux("amd64"), kind)},
        kind);
    script_.Answer(200, index).Answer(200, manifest).Answer(200, config);
    const auto read = Read();
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->root_digest, Sha256::Of(index));
    EXPECT_EQ(read->digest, Sha256::Of(manifest));
    const std::string last = script_.sent().at(script_.sent().size() - 2).url;
    EXPECT_TRUE(last.ends_with("/manifests/sha256%3A" + Sha256::Of(manifest).Hex())) << last;
  }
}

TEST_F(RegistryImageTest, NamesAvailablePlatforms) {
  const std::string other = ManifestOf(ConfigFor("arm64"));
  script_.Answer(200, IndexOf({Entry(other, {{"architecture", "arm64"}, {"os", "linux"}}),
                               Entry(other, {{"architecture", "unknown"}, {"os", "unknown"}}),
                               Entry(other, Linux("s390x"))}));
  const Error two = Refusal();
  EXPECT_EQ(two.code, ErrorCode::kFailedPrecondition);
  EXPECT_EQ(two.message,
            "registry.example/team/python:3.12 is for arm64 and s390x, but the nodes are amd64");
  EXPECT_FALSE(two.hint.empty());

  script_.Answer(
      200, IndexOf({Entry(other, {{"architecture", "amd64"}, {"os", "windows"}}),
                    Entry(other, {{"architecture", "arm"}, {"os", "linux"}, {"variant", "v7"}}),
                    Entry(other, Linux("s390x"))}));
  EXPECT_EQ(
      Refusal().message,
      "registry.example/team/python:3.12 is for windows/amd64, arm/v7 and s390x, but the nodes "
      "are amd64");

  script_.Answer(200, other).Answer(200, ConfigFor("arm64"));
  EXPECT_EQ(Refusal().message,
            "registry.example/team/python:3.12 is for arm64, but the nodes are amd64");

  // The index and the image disagree about the platform.
  script_.Answer(200, IndexOf({Entry(other, Linux("amd64"))})).Answer(200, other);
  script_.Answer(200, ConfigFor("arm64"));
  EXPECT_EQ(Refusal().code, ErrorCode::kFailedPrecondition);

  script_.Answer(200, IndexOf({}));
  EXPECT_EQ(Refusal().code, ErrorCode::kFailedPrecondition);
}

TEST_F(RegistryImageTest, NotFound) {
  script_.Answer(404, R"({"errors":[{"code":"MANIFEST_UNKNOWN"}]})");
  const Error error = Refusal();
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_EQ(error.hint, "check the name: registry.example/team/python:3.12 does not exist");
}

TEST_F(RegistryImageTest, VerifiesDigests) {
  const std::string config = ConfigFor("amd64");
  const std::string manifest = ManifestOf(config);
  script_.Answer(200, manifest);
  EXPECT_EQ(Refusal(DigestString(Sha256::Of("other"))).code, ErrorCode::kDataLoss);

  script_.Answer(200, manifest).Answer(200, ConfigFor("arm64"));
  EXPECT_EQ(Refusal().code, ErrorCode::kDataLoss);

  script_.Answer(200, IndexOf({Entry(manifest, Linux("amd64"))})).Answer(200, manifest + " ");
  EXPECT_EQ(Refusal().code, ErrorCode::kDataLoss);

  Value entry = Entry(manifest, Linux("amd64"));
  entry.Set("size", 7);
  script_.Answer(200, IndexOf({entry})).Answer(200, manifest);
  EXPECT_EQ(Refusal().code, ErrorCode::kDataLoss);
}

TEST_F(RegistryImageTest, RejectsOtherDocuments) {
  const std::string config = ConfigFor("amd64");
  const auto refused = [&](const std::string& manifest) {
    script_.Answer(200, manifest);
    return Refusal();
  };
  EXPECT_EQ(refused("<html>").code, ErrorCode::kDataLoss);
  EXPECT_EQ(refused("{}").code, ErrorCode::kDataLoss);
  EXPECT_EQ(refused(R"({"schemaVersion":2,"manifests":[],"layers":[]})").code,
            ErrorCode::kDataLoss);
  EXPECT_EQ(refused(R"({"schemaVersion":2,"layers":[]})").code, ErrorCode::kDataLoss);

  const Error old = refused(R"({"schemaVersion":1,"name":"python","fsLayers":[]})");
  EXPECT_EQ(old.code, ErrorCode::kUnimplemented);
  EXPECT_NE(old.message.find("schema 1"), std::string::npos);

  const Error chart =
      refused(ManifestOf("{}", {"", media_type::kManifest,
                                "application/vnd.cncf.helm.config.v1+json", media_type::kLayer}));
  EXPECT_EQ(chart.code, ErrorCode::kFailedPrecondition);
  EXPECT_NE(chart.message.find("helm"), std::string::npos);

  Value::Map wrong = DescriptorOf(media_type::kLayer, "layer");
  wrong[1].second = "sha512:12";
  EXPECT_EQ(refused(ManifestWith(config, wrong)).code, ErrorCode::kDataLoss);
  wrong = DescriptorOf(media_type::kLayer, "layer");
  wrong[2].second = -1;
  EXPECT_EQ(refused(ManifestWith(config, wrong)).code, ErrorCode::kDataLoss);
}

TEST_F(RegistryImageTest, RejectsUnsupportedLayers) {
  const std::string config = ConfigFor("amd64");
  Value::Map with_urls = DescriptorOf(media_type::kLayer, "layer");
  with_urls.emplace_back("urls", Value::List{"https://elsewhere.example/layer"});
  for (const Value::Map& layer :
       {with_urls,
        DescriptorOf("application/vnd.docker.image.rootfs.foreign.diff.tar.gzip", "layer"),
        DescriptorOf("application/vnd.oci.image.layer.nondistributable.v1.tar+gzip", "layer")}) {
    script_.Answer(200, ManifestWith(config, layer));
    const Error error = Refusal();
    EXPECT_EQ(error.code, ErrorCode::kUnimplemented);
    EXPECT_NE(error.message.find("outside the registry"), std::string::npos) << error.message;
  }
  script_.Answer(200, ManifestWith(config, DescriptorOf("application/x+encrypted", "layer")));
  const Error error = Refusal();
  EXPECT_EQ(error.code, ErrorCode::kUnimplemented);
  EXPECT_NE(error.message.find("application/x+encrypted"), std::string::npos) << error.message;
}

}  // namespace
}  // namespace kinetic::oci
