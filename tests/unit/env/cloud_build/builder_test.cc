#include "env/cloud_build/builder.h"

#include "kinetic/try.h"

#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"
#include "unit/env/sample.h"

#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>

namespace kinetic::env {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

/// A fake of Cloud Build for one project. Builds end when the test sets their status.
class FakeCloudBuild final : public http::Transport {
 public:
  struct FakeBuild {
    std::string status = "QUEUED";
    Value order;
  };

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token stop) override {
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
    methods.push_back(request.method);
    // A copy, because the callback may replace itself.
    if (const auto act = on_request) KINETIC_RETURN_IF_ERROR(act(request));
    http::Response response;
    response.status = 200;
    KINETIC_RETURN_IF_ERROR(sink(ResponseTo(request).ToJson()));
    return response;
  }

  /// Returns the only build.
  FakeBuild& only() {
    EXPECT_EQ(builds.size(), 1U);
    return builds.begin()->second;
  }
  int posts() const { return static_cast<int>(std::ranges::count(methods, "POST")); }

  std::function<Status(const http::Request&)> on_request;
  std::function<void(const std::string& id)> on_get;
  std::map<std::string, FakeBuild> builds;
  std::vector<std::string> methods;

 private:
  Value ResponseTo(const http::Request& request) {
    const std::size_t at = request.url.find("/builds") + 7;
    const std::string rest = request.url.substr(at);
    if (request.method == "POST" && rest.empty()) return Begin(request);
    if (rest.starts_with("?")) return List(rest);
    const std::string id = rest.substr(1, rest.find(':') - 1);
    if (request.method == "POST") builds[id].status = "CANCELLED";
    const auto act = on_get;
    if (request.method == "GET" && act) act(id);
    return Shown(id);
  }

  Value Begin(const http::Request& request) {
    std::string body(request.body->size_bytes(), '\0');
    EXPECT_TRUE(request.body->Rewind());
    EXPECT_TRUE(request.body->Read(body));
    const std::string id = "build-" + std::to_string(builds.size() + 1);
    builds[id].order = *Value::FromJson(body);
    return Value::Map{{"metadata", Value::Map{{"build", Shown(id)}}}};
  }

  Value List(const std::string& query) {
    Value::List list;
    for (const auto& [id, build] : builds) {
      for (const Value& tag : *build.order.Find("tags")->AsList()) {
        if (query.find(*tag.AsString() + "%22") != std::string::npos) list.push_back(Shown(id));
      }
    }
    return Value::Map{{"builds", std::move(list)}};
  }

  Value Shown(const std::string& id) {
    return Value::Map{{"id", id},
                      {"status", builds[id].status},
                      {"createTime", "2026-11-23T09:00:00Z"},
                      {"tags", *builds[id].order.Find("tags")}};
  }
};

/// An in-memory store with the location of a bucket.
class BucketStore final : public test::WatchedStore {
 public:
  explicit BucketStore(Clock& clock)
      : test::WatchedStore(std::make_unique<test::MemoryStore>(clock)) {}
  std::string Location() const override { return location; }
  std::string location = "gs://bucket/team";
};

class CloudBuildTest : public testing::Test {
 protected:
  CloudBuildTest() {
    std::filesystem::create_directories(files_ / "context");
    std::ofstream(files_ / "context/Dockerfile") << "FROM scratch\n";
    service_->on_get = [this](const std::string& id) { service_->builds[id].status = "SUCCESS"; };
  }

  Status Build(std::stop_token stop = {}) {
    CloudBuilderOptions options{
        .tools = {.cache_dir = files_ / "cache", .search_path = {}, .environment = {}},
        .store = store_,
        .connect = [this](std::stop_token) -> Result<std::shared_ptr<http::Transport>> {
          return service_;
        },
        .service = {.project = "p"}};
    options.tools.clock = &clock_;
    options.machine = machine_;
    options.service_account = account_;
    return MakeCloudBuilder(std::move(options))->Build(order_, &observer_, std::move(stop));
  }

  void Log(const std::string& id, const std::string& text) {
    ASSERT_TRUE(store::Overwrite(store_, "builds/logs/log-" + id + ".txt", text, {}));
  }

  test::TempTree files_;
  test::FakeClock clock_;
  BucketStore store_{clock_};
  std::shared_ptr<FakeCloudBuild> service_ = std::make_shared<FakeCloudBuild>();
  RecordingObserver observer_;
  std::string machine_;
  std::string account_;
  ImageBuildRequest order_{.context = files_ / "context",
                           .dockerfile = files_ / "context/Dockerfile",
                           .reference = "registry/name:tag",
                           .platform = "linux/amd64",
                           .labels = {{"a", "b c"}}};
};

TEST_F(CloudBuildTest, RequestsTheDockerfilesBuild) {
  machine_ = "E2_HIGHCPU_8";
  account_ = "builds@p.iam.gserviceaccount.com";
  const auto built = Build();
  ASSERT_TRUE(built) << built.error().message;
  const Value& order = service_->only().order;
  const Value& source = *order.Find("source")->Find("storageSource");
  EXPECT_EQ(*source.Find("bucket")->AsString(), "bucket");
  const std::string object = *source.Find("object")->AsString();
  ASSERT_TRUE(object.starts_with("team/builds/"));
  const auto objects = store_.Objects();
  ASSERT_TRUE(objects.contains(object.substr(5)));
  EXPECT_EQ(*source.Find("generation")->AsString(),
            std::to_string(objects.at(object.substr(5)).generation));
  EXPECT_EQ(order.Find("steps")->ToJson(),
            R"([{"id":"build","name":"gcr.io/cloud-builders/docker","args":["build",)"
            R"("--progress=plain","--platform=linux/amd64","--tag=registry/name:tag",)"
            R"("--file=Dockerfile","--label=a=b c","context"],"env":["DOCKER_BUILDKIT=1"]}])");
  EXPECT_EQ(order.Find("images")->ToJson(), R"(["registry/name:tag"])");
  EXPECT_EQ(*order.Find("logsBucket")->AsString(), "gs://bucket/team/builds/logs");
  EXPECT_EQ(*order.Find("timeout")->AsString(), "3600s");
  EXPECT_EQ(*order.Find("options")->Find("machineType")->AsString(), "E2_HIGHCPU_8");
  EXPECT_EQ(*order.Find("serviceAccount")->AsString(),
            "projects/p/serviceAccounts/builds@p.iam.gserviceaccount.com");
}

TEST_F(CloudBuildTest, ForwardsLogLinesAsTheyArrive) {
  int looks = 0;
  service_->on_get = [&](const std::string& id) {
    ++looks;
    if (looks == 2) Log(id, "Step 1\nSt");
    if (looks == 3) Log(id, "Step 1\nStep 2\n");
    if (looks == 4) {
      Log(id, "Step 1\nStep 2\nDONE");
      service_->builds[id].status = "SUCCESS";
    }
  };
  ASSERT_TRUE(Build());
  EXPECT_THAT(observer_.lines, ElementsAre("build build-1", "Step 1", "Step 2", "DONE"));
}

TEST_F(CloudBuildTest, ReportsFailureWithLastLogLines) {
  service_->on_get = [&](const std::string& id) {
    Log(id, "Step 1\nno such package\n");
    service_->builds[id].status = "FAILURE";
  };
  const auto built = Build();
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::kFailedPrecondition);
  EXPECT_THAT(built.error().message, HasSubstr("no such package"));
  EXPECT_EQ(service_->posts(), 1) << "the build ended and is not cancelled";
}

TEST_F(CloudBuildTest, KeepsBuildRunningWhenStatusIsUnavailable) {
  service_->on_request = [](const http::Request& request) -> Status {
    if (request.method == "POST" || request.url.find("build-1") == std::string::npos) return {};
    return Fail(ErrorCode::kUnavailable, "connection refused");
  };
  const auto built = Build();
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(built.error().message, HasSubstr("cannot follow build build-1: connection refused"));
  EXPECT_EQ(service_->only().status, "QUEUED") << "the next client follows it";
}

TEST_F(CloudBuildTest, FollowsRunningBuildOfAnotherClient) {
  bool first = true;
  service_->on_get = [&](const std::string& id) {
    if (first) {
      first = false;
      EXPECT_TRUE(Build()) << "another client, at the same time";
    }
    service_->builds[id].status = "SUCCESS";
  };
  ASSERT_TRUE(Build());
  EXPECT_EQ(service_->builds.size(), 1U);
  EXPECT_THAT(observer_.lines, Contains(HasSubstr("started by another client")));
}

TEST_F(CloudBuildTest, CancelsOwnBuildStartedConcurrently) {
  bool first = true;
  service_->on_request = [&](const http::Request& request) -> Status {
    if (!first || request.method != "POST") return {};
    first = false;
    std::stop_source stop;
    service_->on_get = [&](const std::string&) { stop.request_stop(); };
    service_->on_request = {};
    EXPECT_FALSE(Build(stop.get_token()));
    // The other client's build continues.
    service_->builds["build-1"].status = "WORKING";
    service_->on_get = [this](const std::string& id) { service_->builds[id].status = "SUCCESS"; };
    return {};
  };
  ASSERT_TRUE(Build());
  ASSERT_EQ(service_->builds.size(), 2U);
  EXPECT_EQ(service_->builds["build-1"].status, "SUCCESS");
  EXPECT_EQ(service_->builds["build-2"].status, "CANCELLED");
}

TEST_F(CloudBuildTest, CancelsDuplicateOfOwnBuild) {
  service_->on_request = [&](const http::Request& request) -> Status {
    if (request.method == "POST") {
      service_->on_request = {};
      std::string body(request.body->size_bytes(), '\0');
      EXPECT_TRUE(request.body->Rewind());
      EXPECT_TRUE(request.body->Read(body));
      service_->builds["begun-before"].order = *Value::FromJson(body);
    }
    return {};
  };
  std::stop_source stop;
  service_->on_get = [&](const std::string&) { stop.request_stop(); };
  ASSERT_FALSE(Build(stop.get_token()));
  ASSERT_EQ(service_->builds.size(), 2U);
  for (const auto& [id, build] : service_->builds) EXPECT_EQ(build.status, "CANCELLED") << id;
}

TEST_F(CloudBuildTest, StopCancelsOwnBuild) {
  std::stop_source stop;
  service_->on_get = [&](const std::string&) { stop.request_stop(); };
  const auto built = Build(stop.get_token());
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::kCancelled);
  EXPECT_EQ(service_->only().status, "CANCELLED");
}

TEST_F(CloudBuildTest, StopDuringCreateCancelsCreatedBuild) {
  std::stop_source stop;
  service_->on_request = [&](const http::Request& request) -> Status {
    if (request.method != "POST" || stop.stop_requested()) return {};
    stop.request_stop();
    const std::string id = "lost";
    std::string body(request.body->size_bytes(), '\0');
    EXPECT_TRUE(request.body->Rewind());
    EXPECT_TRUE(request.body->Read(body));
    service_->builds[id].order = *Value::FromJson(body);
    return Fail(ErrorCode::kCancelled, "stopped");
  };
  EXPECT_FALSE(Build(stop.get_token()));
  EXPECT_EQ(service_->only().status, "CANCELLED");
}

TEST_F(CloudBuildTest, StopLeavesBuildOfAnotherClient) {
  bool first = true;
  service_->on_get = [&](const std::string& id) {
    if (first) {
      first = false;
      std::stop_source stop;
      service_->on_get = [&](const std::string&) { stop.request_stop(); };
      EXPECT_FALSE(Build(stop.get_token()));
      EXPECT_TRUE(stop.stop_requested());
    }
    service_->builds[id].status = "SUCCESS";
  };
  ASSERT_TRUE(Build());
  EXPECT_EQ(service_->only().status, "SUCCESS");
}

TEST_F(CloudBuildTest, RestartsWhenFollowedBuildIsCancelled) {
  bool first = true;
  service_->on_get = [&](const std::string& id) {
    if (!first) {
      service_->builds[id].status = "SUCCESS";
      return;
    }
    first = false;
    int looks = 0;
    service_->on_get = [&](const std::string& seen) {
      service_->builds[seen].status = ++looks == 1 ? "CANCELLED" : "SUCCESS";
    };
    EXPECT_TRUE(Build()) << "the client that follows the build";
  };
  const auto own = Build();
  ASSERT_FALSE(own);
  EXPECT_EQ(own.error().code, ErrorCode::kAborted) << "the build was cancelled";
  EXPECT_EQ(service_->builds.size(), 2U);
}

TEST_F(CloudBuildTest, RejectsStoreInFolder) {
  store_.location = "/home/ana/store";
  const auto built = Build();
  ASSERT_FALSE(built);
  EXPECT_TRUE(service_->methods.empty());
}

}  // namespace
}  // namespace kinetic::env
