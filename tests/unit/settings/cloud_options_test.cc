#include "settings/check_value.h"
#include "settings/client_options.h"
#include "settings/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>

namespace kinetic::settings {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kProfile =
    "target: cloud\n"
    "profiles:\n"
    "  cloud:\n"
    "    store: gs://my-bucket/kinetic/\n"
    "    credentials: keys/robot.json\n"
    "    proxy: http://profile:3128\n";

class CloudSettings : public testing::Test {
 protected:
  CloudSettings() {
    process_.directory = "/work";
    process_.home = "/home/ana";
  }
  Settings Resolved() {
    auto settings = Resolve(flags_, process_, config_);
    EXPECT_TRUE(settings) << settings.error().message;
    return *settings;
  }
  CloudOptions Options() { return CloudOptionsOf(Resolved(), process_); }
  void UseProfile() {
    auto parsed = ParseConfig(kProfile, "/home/ana/.config/kinetic/config.yaml");
    ASSERT_TRUE(parsed) << parsed.error().message;
    config_ = *parsed;
  }

  ProcessEnvironment process_;
  SettingFlags flags_;
  ConfigFile config_;
};

TEST_F(CloudSettings, AreThoseOfGooglesLibrariesByDefault) {
  const CloudOptions options = Options();
  EXPECT_EQ(options.well_known_file,
            "/home/ana/.config/gcloud/application_default_credentials.json");
  EXPECT_EQ(options.metadata_url, "http://metadata.google.internal");
  EXPECT_TRUE(options.credential_file.empty() && options.proxy.empty() &&
              options.storage_endpoint.empty() && options.ca_file.empty());
  EXPECT_FALSE(options.allow_programs || options.allow_loopback);
  EXPECT_TRUE(options.environment.empty());
}

TEST_F(CloudSettings, TakeWhatOtherProgramsRead) {
  process_.variables = {{"GOOGLE_APPLICATION_CREDENTIALS", "key.json"},
                        {"GOOGLE_CLOUD_QUOTA_PROJECT", "quota"},
                        {"CLOUDSDK_CONFIG", "/gcloud"},
                        {"GCE_METADATA_HOST", "127.0.0.1:8080"},
                        {"GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES", "1"},
                        {"HTTPS_PROXY", "http://upper:1"},
                        {"https_proxy", "http://lower:1"},
                        {"HTTP_PROXY", "http://stranger:1"},
                        {"NO_PROXY", "localhost"},
                        {"SSL_CERT_FILE", "/ca.pem"},
                        {"PATH", "/bin"}};
  const CloudOptions options = Options();
  EXPECT_EQ(options.credential_file, "/work/key.json");
  EXPECT_EQ(options.quota_project, "quota");
  EXPECT_EQ(options.well_known_file, "/gcloud/application_default_credentials.json");
  EXPECT_EQ(options.metadata_url, "http://127.0.0.1:8080");
  EXPECT_TRUE(options.allow_programs);
  EXPECT_EQ(options.search_path, "/bin");
  EXPECT_EQ(options.environment.size(), process_.variables.size());
  EXPECT_EQ(options.proxy, "https=http://lower:1 http=");
  EXPECT_EQ(options.no_proxy, "localhost");
  EXPECT_EQ(options.ca_file, "/ca.pem");
  const SettingValue value = Resolved().Get(SettingId::kCredentials);
  EXPECT_EQ(value.source, "GOOGLE_APPLICATION_CREDENTIALS");
  EXPECT_EQ(Name(value.origin), "environment");
}

TEST_F(CloudSettings, AllowProgramsForNoOtherWordThanGoogles) {
  for (const char* text : {"0", "true", "yes", ""}) {
    process_.variables["GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES"] = text;
    EXPECT_FALSE(Options().allow_programs) << text;
  }
}

TEST_F(CloudSettings, OfAProfileWinOverThoseOfOtherPrograms) {
  UseProfile();
  process_.variables = {{"GOOGLE_APPLICATION_CREDENTIALS", "/other.json"},
                        {"https_proxy", "http://env:1"}};
  EXPECT_EQ(Options().credential_file, "/home/ana/.config/kinetic/keys/robot.json");
  EXPECT_EQ(Options().proxy, "http://profile:3128");
  EXPECT_EQ(Resolved().Text(SettingId::kStore), "gs://my-bucket/kinetic");
  process_.variables["KINETIC_PROXY"] = "socks5h://mine:1080";
  EXPECT_EQ(Options().proxy, "socks5h://mine:1080");
}

TEST_F(CloudSettings, TakeTheCredentialThatIsGivenNearest) {
  UseProfile();
  process_.variables["KINETIC_TOKEN_FILE"] = "/token";
  CloudOptions options = Options();
  EXPECT_EQ(options.token_file, "/token");
  EXPECT_TRUE(options.credential_file.empty());
  process_.variables["KINETIC_ACCESS_TOKEN"] = "t";
  options = Options();
  EXPECT_EQ(options.access_token, "t");
  EXPECT_TRUE(options.token_file.empty());
  flags_[SettingId::kCredentials] = "key.json";
  options = Options();
  EXPECT_EQ(options.credential_file, "/work/key.json");
  EXPECT_TRUE(options.access_token.empty());
}

TEST_F(CloudSettings, ReadAnEmulatorAsGooglesLibrariesDo) {
  process_.variables = {{"STORAGE_EMULATOR_HOST", "localhost:4443"},
                        {"GOOGLE_APPLICATION_CREDENTIALS", "/key.json"},
                        {"https_proxy", "http://secure:1"}};
  CloudOptions options = Options();
  EXPECT_EQ(options.storage_endpoint, "http://localhost:4443");
  EXPECT_TRUE(options.credential_file.empty());
  flags_[SettingId::kCredentials] = "/named.json";
  EXPECT_EQ(Options().credential_file, "/named.json");
  process_.variables["STORAGE_EMULATOR_HOST"] = "https://emulator.example/";
  EXPECT_EQ(Options().storage_endpoint, "https://emulator.example");
}

/// Each scheme has its own proxy, whatever the store's scheme is.
TEST_F(CloudSettings, ChooseTheProxyByScheme) {
  struct Row {
    std::map<std::string, std::string> variables;
    std::string proxy;
  };
  const Row rows[] = {{{}, ""},
                      {{{"https_proxy", "S"}}, "https=S http="},
                      {{{"HTTPS_PROXY", "S"}, {"http_proxy", "P"}}, "https=S http=P"},
                      {{{"http_proxy", "P"}}, "https= http=P"},
                      {{{"HTTP_PROXY", "P"}}, ""},
                      {{{"all_proxy", "A"}}, "A"},
                      {{{"ALL_PROXY", "A"}, {"http_proxy", "P"}}, "https=A http=P"},
                      {{{"https_proxy", "S"}, {"all_proxy", "A"}}, "https=S http=A"},
                      {{{"https_proxy", "S"}, {"HTTPS_PROXY", "T"}}, "https=S http="},
                      {{{"KINETIC_PROXY", "http://k:1"}, {"http_proxy", "P"}}, "http://k:1"}};
  for (const char* endpoint : {"", "localhost:4443", "https://emulator.example"}) {
    for (const Row& row : rows) {
      process_.variables = row.variables;
      process_.variables["STORAGE_EMULATOR_HOST"] = endpoint;
      EXPECT_EQ(Options().proxy, row.proxy) << testing::PrintToString(row.variables);
    }
  }
}

TEST_F(CloudSettings, TakeDurations) {
  using std::chrono::milliseconds;
  for (const auto& [text, wanted] :
       std::map<std::string, milliseconds>{{"0", milliseconds{0}},
                                           {"6s", milliseconds{6'000}},
                                           {"1.5m", milliseconds{90'000}},
                                           {"250ms", milliseconds{1'000}}}) {
    flags_[SettingId::kRetryFor] = text;
    EXPECT_EQ(Options().retry_for, wanted) << text;
  }
  for (const char* text : {"-1", "6", "6y", "s", "1h30", " 6"}) {
    flags_[SettingId::kRetryFor] = text;
    const auto settings = Resolve(flags_, process_, config_);
    ASSERT_FALSE(settings) << text;
    EXPECT_THAT(settings.error().message, HasSubstr("--retry-for: expected a duration"));
  }
}

TEST_F(CloudSettings, NeedNoMetadataServer) {
  process_.variables["NO_GCE_CHECK"] = "true";
  EXPECT_EQ(Options().metadata_url, "");
  process_.variables = {{"KINETIC_METADATA_HOST", "none"}};
  EXPECT_EQ(Options().metadata_url, "");
}

TEST_F(CloudSettings, ThatAreNoAddressAreRefusedWithoutTheirPassword) {
  for (const char* text : {"ftp://h", "http://", "http://a b", "http://ana:pw@/x", ":3128"}) {
    flags_[SettingId::kProxy] = text;
    const auto settings = Resolve(flags_, process_, config_);
    ASSERT_FALSE(settings) << text;
    EXPECT_THAT(settings.error().message, HasSubstr("--proxy: expected an address"));
    EXPECT_EQ(settings.error().message.find("pw"), std::string::npos);
  }
  flags_[SettingId::kProxy] = "proxy:3128";
  EXPECT_TRUE(Resolve(flags_, process_, config_));
}

TEST(RedactedSetting, LeavesSecretsOut) {
  EXPECT_EQ(RedactedSetting(Info(SettingId::kAccessToken), "ya29"), "[secret]");
  EXPECT_EQ(RedactedSetting(Info(SettingId::kAccessToken), ""), "");
  EXPECT_EQ(RedactedSetting(Info(SettingId::kProxy), "http://ana:p@w@h:1/x@y"),
            "http://[secret]@h:1/x@y");
  EXPECT_EQ(RedactedSetting(Info(SettingId::kProxy), "ana:pw@h:1"), "[secret]@h:1");
  EXPECT_EQ(RedactedSetting(Info(SettingId::kProxy), "http://h:1/x@y"), "http://h:1/x@y");
  EXPECT_EQ(RedactedSetting(Info(SettingId::kOwner), "a:b@c"), "a:b@c");
}

TEST(Place, MayBeAFolderOrInABucket) {
  const std::string longest(63, 'a');
  for (const std::string& text :
       {std::string("/data"), std::string("~/x"), std::string("data/a:b"), std::string("gs://abc"),
        std::string("gs://my_bucket-1.example.org"), std::string("gs://abc/a/b c/ü"),
        "gs://" + longest})
    EXPECT_TRUE(CheckStoreLocation("store", text)) << text;
}

TEST(Place, ThatNoServerWouldTakeIsRefusedHere) {
  const std::string too_long(64, 'a');
  for (const std::string& text : {std::string("gs://"),
                                  std::string("gs://ab"),
                                  std::string("gs://My-Bucket"),
                                  std::string("gs://-abc"),
                                  std::string("gs://abc-"),
                                  std::string("gs://a..b"),
                                  std::string("gs://abc.-d"),
                                  std::string("gs://192.168.5.4"),
                                  std::string("gs://goog-x"),
                                  std::string("gs://my-google-x"),
                                  "gs://" + too_long,
                                  std::string("gs://abc/a//b"),
                                  std::string("gs://abc//"),
                                  std::string("gs://abc/../d"),
                                  std::string("gs://abc/a\nb"),
                                  std::string("gs://abc/a*"),
                                  "gs://abc/" + std::string(513, 'a'),
                                  std::string("s3://abc"),
                                  std::string("GS://abc"),
                                  std::string("gs:/abc"),
                                  std::string("https://h/b")}) {
    const Status checked = CheckStoreLocation("--store", text);
    ASSERT_FALSE(checked) << text;
    EXPECT_EQ(checked.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(checked.error().message, HasSubstr("--store: "));
  }
}

}  // namespace
}  // namespace kinetic::settings
