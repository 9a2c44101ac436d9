#include "oci/build/extend_image.h"

#include "kinetic/value.h"

#include "oci/format/reference.h"

#include <gtest/gtest.h>

#include <string>

namespace kinetic::oci {
namespace {

const std::string kOne = DigestString(Sha256::Of("one"));
const std::string kTwo = DigestString(Sha256::Of("two"));

/// Returns an image with two layers.
RegistryImage Base(std::string config) {
  RegistryImage image;
  image.name = "python:3.12";
  image.architecture = "amd64";
  image.config_json = std::move(config);
  image.layers = {{media_type::kDockerLayerGzip, Sha256::Of("1.gz"), 4},
                  {media_type::kLayerZstd, Sha256::Of("2.zst"), 5}};
  return image;
}

std::string ConfigWith(const std::string& members) {
  return R"({"architecture":"amd64","os":"linux",)" + members +
         R"("rootfs":{"type":"layers","diff_ids":[")" + kOne + "\",\"" + kTwo + R"("]}})";
}

ImageExtension Layers(int count) {
  ImageExtension extension;
  for (int i = 0; i < count; ++i) {
    extension.layers.push_back(
        {.blob = {media_type::kLayerZstd, Sha256::Of("new"), 3}, .diff_id = Sha256::Of("new tar")});
  }
  return extension;
}

Value ConfigOf(const Result<ExtendedImage>& image) {
  EXPECT_TRUE(image) << image.error().message;
  return image ? Value::FromJson(image->config_json).value_or(Value()) : Value();
}

std::string Member(const Value& value, std::string_view key) {
  const Value* const member = value.Find(key);
  return member != nullptr ? member->ToJson() : "absent";
}

TEST(ExtendImage, AppendsLayers) {
  const auto image = ExtendImage(Base(ConfigWith("")), Layers(1));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->config.media_type, media_type::kConfig);
  EXPECT_EQ(image->config.digest, Sha256::Of(image->config_json));
  EXPECT_EQ(image->config.size_bytes, image->config_json.size());
  EXPECT_EQ(image->manifest.media_type, media_type::kManifest);
  EXPECT_EQ(image->manifest.digest, Sha256::Of(image->manifest_json));
  EXPECT_EQ(image->manifest.size_bytes, image->manifest_json.size());

  const auto layer = [](const char* type, const char* bytes, int size) {
    return R"({"mediaType":"application/vnd.oci.image.layer.v1.)" + std::string(type) +
           R"(","digest":")" + DigestString(Sha256::Of(bytes)) + R"(","size":)" +
           std::to_string(size) + "}";
  };
  EXPECT_EQ(
      image->manifest_json,
      R"({"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{)"
      R"("mediaType":"application/vnd.oci.image.config.v1+json","digest":")" +
          DigestString(image->config.digest) + R"(","size":)" +
          std::to_string(image->config.size_bytes) + R"(},"layers":[)" +
          layer("tar+gzip", "1.gz", 4) + "," + layer("tar+zstd", "2.zst", 5) + "," +
          layer("tar+zstd", "new", 3) + "]}");
  EXPECT_EQ(Member(*ConfigOf(image).Find("rootfs"), "diff_ids"),
            "[\"" + kOne + "\",\"" + kTwo + "\",\"" + DigestString(Sha256::Of("new tar")) + "\"]");
}

TEST(ExtendImage, IsReproducible) {
  const auto one = ExtendImage(Base(ConfigWith("")), Layers(2));
  const auto two = ExtendImage(Base(ConfigWith("")), Layers(2));
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->manifest_json, two->manifest_json);
  EXPECT_EQ(one->config_json, two->config_json);
}

TEST(ExtendImage, KeepsUnknownFields) {
  const auto image = ExtendImage(
      Base(ConfigWith(
          R"("created":"2026-01-02T03:04:05Z","docker_version":"20.10","x":{"y":[1,2.5]},)"
          R"("config":{"Cmd":["python3"],"ArgsEscaped":true,"Env":["PATH=/bin"]},)")),
      Layers(1));
  const Value config = ConfigOf(image);
  EXPECT_EQ(Member(config, "docker_version"), "\"20.10\"");
  EXPECT_EQ(Member(config, "x"), R"({"y":[1,2.5]})");
  EXPECT_EQ(Member(config, "config"),
            R"({"Cmd":["python3"],"ArgsEscaped":true,"Env":["PATH=/bin"]})");
  EXPECT_EQ(Member(config, "created"), "\"1970-01-01T00:00:00Z\"");
}

TEST(ExtendImage, SetsVariablesAndLabels) {
  ImageExtension extension = Layers(1);
  extension.environment = {"PATH=/env/bin:/bin", "NEW=a=b", "LANG="};
  extension.labels = {{"maker", "kinetic"}, {"new", "1"}};
  const std::string config =
      R"("config":{"Env":["LANG=C.UTF-8","PATH=/bin","PATHS=x"],"Labels":{"maker":"a","b":"c"}},)";
  EXPECT_EQ(Member(ConfigOf(ExtendImage(Base(ConfigWith(config)), extension)), "config"),
            R"({"Env":["LANG=","PATH=/env/bin:/bin","PATHS=x","NEW=a=b"],)"
            R"("Labels":{"maker":"kinetic","b":"c","new":"1"}})");
  for (const char* none : {"", R"("config":null,)", R"("config":{"Env":null,"Labels":null},)"}) {
    const Value settings = *ConfigOf(ExtendImage(Base(ConfigWith(none)), extension)).Find("config");
    EXPECT_EQ(Member(settings, "Env"), R"(["PATH=/env/bin:/bin","NEW=a=b","LANG="])");
    EXPECT_EQ(Member(settings, "Labels"), R"({"maker":"kinetic","new":"1"})");
  }
}

TEST(ExtendImage, AppendsToTheHistory) {
  ImageExtension extension = Layers(2);
  extension.comment = "packages";
  const std::string step =
      R"({"created":"1970-01-01T00:00:00Z","created_by":"kinetic","comment":"packages"})";
  const std::string whole = R"({"created_by":"a"},{"created_by":"b","empty_layer":true},)"
                            R"({"created_by":"c","empty_layer":false})";
  EXPECT_EQ(
      Member(ConfigOf(ExtendImage(Base(ConfigWith("\"history\":[" + whole + "],")), extension)),
             "history"),
      "[" + whole + "," + step + "," + step + "]");

  // An incomplete history is padded, so that steps match layers.
  const std::string untold =
      R"({"created":"1970-01-01T00:00:00Z","comment":"not described by the image"})";
  EXPECT_EQ(Member(ConfigOf(ExtendImage(Base(ConfigWith(R"("history":[{"created_by":"a"}],)")),
                                        extension)),
                   "history"),
            R"([{"created_by":"a"},)" + untold + "," + step + "," + step + "]");
  EXPECT_EQ(Member(ConfigOf(ExtendImage(Base(ConfigWith("")), extension)), "history"),
            "[" + untold + "," + untold + "," + step + "," + step + "]");

  ImageExtension no_layer;
  no_layer.labels = {{"a", "b"}};
  EXPECT_EQ(
      Member(ConfigOf(ExtendImage(Base(ConfigWith("\"history\":[" + whole + "],")), no_layer)),
             "history"),
      "[" + whole +
          R"(,{"created":"1970-01-01T00:00:00Z","created_by":"kinetic","empty_layer":true}])");
}

TEST(ExtendImage, RejectsMismatchedLayers) {
  for (const std::string& config : {std::string("[]"), std::string("{"), std::string("{}"),
                                    R"({"rootfs":{"diff_ids":[")" + kOne + R"("]}})",
                                    R"({"rootfs":{"diff_ids":[")" + kOne + R"(","md5:1"]}})",
                                    R"({"rootfs":{"diff_ids":[")" + kOne + R"(",1]}})"}) {
    const auto image = ExtendImage(Base(config), Layers(1));
    ASSERT_FALSE(image) << config;
    EXPECT_EQ(image.error().code, ErrorCode::kDataLoss);
    EXPECT_TRUE(image.error().message.starts_with("python:3.12: its configuration"))
        << image.error().message;
  }
}

}  // namespace
}  // namespace kinetic::oci
