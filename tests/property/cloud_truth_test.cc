// Whatever reads fail, and in whatever way: `kinetic down` never reports success while something that costs money is
// left, and deletes nothing unless it could read everything; `kinetic up` never plans a second cluster.
//
// KINETIC_CLOUD_RUNS is the number of worlds. A failure names the seed that repeats it: KINETIC_CLOUD_SEED.

#include "kinetic/cluster.h"

#include "google/api/services.h"
#include "http/url.h"
#include "provision/plan.h"
#include "provision/resources/all.h"
#include "support/fake_clock.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace kinetic {
namespace {

using provision::FindLocation;
using provision::FindProject;
using State = ClusterPlan::State;

constexpr const char* kProject = "kinetic-test";
constexpr const char* kNumber = "123456789012";
constexpr const char* kRouter =
    "compute.googleapis.com/compute/v1/projects/kinetic-test/regions/us-west4/routers/kinetic-nat";
constexpr const char* kDenialText =
    R"({"error":{"code":403,"status":"PERMISSION_DENIED","message":"Required permission"}})";

std::string Disabled(const std::string& service, const std::string& consumer) {
  return R"({"error":{"code":403,"status":"PERMISSION_DENIED","message":"The API has not been used in project )" +
         consumer +
         R"(","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"SERVICE_DISABLED",)" +
         R"("metadata":{"service":")" + service + R"(","consumer":"projects/)" + consumer +
         R"("}}]}})";
}

/// How a read fails.
enum class Fault : std::uint8_t {
  kDenied,
  kDeniedByProxy,
  kNotFoundByProxy,
  kNotFoundWithoutBody,
  kDisabledElsewhere,
  kDisabledHere,  ///< although Service Usage says that it is enabled
  kQuotaProject,
  kTooMany,
  kInternal,
  kUnavailable,
  kGarbage,
  kTruncated,
  kNoObject,
  kTimeout,
  kReset,
  kPartial,  ///< of a list: without its items; of another read: unavailable
  kCount
};

/// What exists in the project, and the failures of reads of it.
class FakeGoogle final : public http::Transport {
 public:
  std::map<std::string, Value> things;  ///< by URL, with policies
  std::set<std::string> disabled;       ///< services
  std::map<std::string, std::pair<Fault, int>>
      faults;  ///< by URL of a read, with how many of them fail
  int mutations = 0;
  int disks = 0;  ///< with the label of the cluster

  Result<http::Response> Stream(const http::Request& request, const http::Sink& sink,
                                std::stop_token /*stop*/) override {
    const std::lock_guard lock(mutex_);
    const std::string url = request.url.substr(std::string_view("https://").size());
    const std::string path = url.substr(0, url.find('?'));
    const bool reads = request.method == "GET" || path.ends_with(":getIamPolicy");
    if (!reads) ++mutations;
    seen.insert(path);
    const auto fault = reads ? faults.find(path) : faults.end();
    if (fault != faults.end() && fault->second.second-- > 0)
      return Fail(fault->second.first, path, sink);
    return Answer(request, path, sink);
  }

  std::set<std::string> seen;  ///< URLs

 private:
  static Result<http::Response> Respond(int status, const std::string& body,
                                        const http::Sink& sink) {
    http::Response response;
    response.status = status;
    if (status == 200) {
      if (const Status taken = sink(body); !taken) return Failure(taken.error());
    } else {
      response.body = body;
    }
    return response;
  }

  Result<http::Response> Fail(Fault fault, const std::string& path, const http::Sink& sink) {
    const std::string service = path.substr(0, path.find('/'));
    switch (fault) {
      case Fault::kDenied:
        return Respond(403, kDenialText, sink);
      case Fault::kDeniedByProxy:
        return Respond(403, "<html>blocked by SERVICE policy</html>", sink);
      case Fault::kNotFoundByProxy:
        return Respond(404, "<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>", sink);
      case Fault::kNotFoundWithoutBody:
        return Respond(404, "", sink);
      case Fault::kDisabledElsewhere:
        return Respond(403, Disabled(service, "42"), sink);
      case Fault::kDisabledHere:
        return Respond(403, Disabled(service, kNumber), sink);
      case Fault::kQuotaProject:
        return Respond(
            403,
            R"({"error":{"code":403,"message":"Caller does not have required permission to use project",)"
            R"("details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":)"
            R"("USER_PROJECT_DENIED","metadata":{"consumer":"projects/42"}}]}})",
            sink);
      case Fault::kTooMany:
        return Respond(429, R"({"error":{"code":429,"message":"Quota exceeded"}})", sink);
      case Fault::kInternal:
        return Respond(500, R"({"error":{"code":500,"message":"internal"}})", sink);
      case Fault::kUnavailable:
        return Respond(503, "", sink);
      case Fault::kGarbage:
        return Respond(200, "<html>Sign in to the Wi-Fi</html>", sink);
      case Fault::kTruncated:
        return Respond(200, R"({"name":"kinetic","clus)", sink);
      case Fault::kNoObject:
        return Respond(200, "[]", sink);
      case Fault::kTimeout:
        return kinetic::Fail(ErrorCode::kDeadlineExceeded, "timed out");
      case Fault::kPartial:
        if (path.ends_with("/locations/-/clusters"))
          return Respond(200, R"({"clusters":[],"missingZones":["us-west4-a"]})", sink);
        if (path.find("/aggregated/") != std::string::npos)
          return Respond(200, R"({"items":{},"unreachables":["regions/us-west4"]})", sink);
        [[fallthrough]];
      default:
        return kinetic::Fail(ErrorCode::kUnavailable, "connection reset");
    }
  }

  Result<http::Response> Answer(const http::Request& request, const std::string& path,
                                const http::Sink& sink) {
    const std::string service = path.substr(0, path.find('/'));
    if (service == google::kServiceUsage) return Respond(200, ServiceText(path), sink);
    if (disabled.contains(service)) return Respond(403, Disabled(service, kNumber), sink);
    if (path.ends_with("/billingInfo")) return Respond(200, R"({"billingEnabled":true})", sink);
    if (path.ends_with("/locations/-/clusters")) return Respond(200, ClusterList(), sink);
    if (path.ends_with("/aggregated/disks")) return Respond(200, DiskList(), sink);
    if (path.ends_with("/aggregated/routers")) return Respond(200, RouterList(), sink);
    if (path.find("/aggregated/") != std::string::npos || path.ends_with("/managedFolders"))
      return Respond(200, "{}", sink);
    if (path.ends_with(":setIamPolicy") || request.method == "PUT") return Respond(200, "{}", sink);
    const auto found = things.find(path);
    if (found == things.end())
      return Respond(
          404,
          R"({"error":{"code":404,"status":"NOT_FOUND","message":"Requested entity was not found."}})",
          sink);
    if (request.method != "DELETE") return Respond(200, found->second.ToJson(), sink);
    things.erase(found);
    return Respond(200, R"({"name":"operation-1","status":"DONE","done":true})", sink);
  }

  std::string ServiceText(const std::string& path) const {
    const bool off = disabled.contains(path.substr(path.rfind('/') + 1));
    return std::string(R"({"parent":"projects/)") + kNumber + R"(","state":")" +
           (off ? "DISABLED" : "ENABLED") + "\"}";
  }

  std::string DiskList() const {
    return disks == 0 ? "{}"
                      : R"({"items":{"zones/us-west4-a":{"disks":[{"name":"pvc-1"}]},)"
                        R"("zones/us-west4-b":{"warning":{"code":"NO_RESULTS_ON_PAGE"}}}})";
  }

  std::string RouterList() const {
    const auto router = things.find(kRouter);
    if (router == things.end()) return "{}";
    const Value list(Value::Map{{"routers", Value::List{router->second}}});
    return Value(Value::Map{{"items", Value::Map{{"regions/us-west4", list}}}}).ToJson();
  }

  std::string ClusterList() const {
    Value::List clusters;
    for (const auto& [url, thing] : things)
      if (url.find("/clusters/") != std::string::npos) clusters.push_back(thing);
    return Value(Value::Map{{"clusters", std::move(clusters)}}).ToJson();
  }

  std::mutex mutex_;
};

class Silent final : public PlanObserver {
 public:
  void OnStepStarted(const PlanStep& /*step*/) override {}
  void OnStepFinished(const PlanStep& /*step*/, const Status& /*done*/) override {}
  void OnStepWaiting(const PlanStep& /*step*/, std::string_view /*reason*/) override {}
};

std::string ClusterUrl(const std::string& zone) {
  return std::string("container.googleapis.com/v1/projects/") + kProject + "/locations/" + zone +
         "/clusters/kinetic";
}

Value Labels() { return Value::Map{{"kinetic-cluster", "kinetic"}}; }

/// A project with a random part of what `kinetic up` creates, and random failures.
class World {
 public:
  explicit World(unsigned seed) : random_(seed) {
    spec_.project = kProject;
    if (Chance(50)) spec_.location = "us-west4-a";
    Populate();
    AddDisk();
    AddFaults();
  }

  /// Returns an open state, or nullptr if the project or the location cannot be found.
  std::shared_ptr<State> Open() {
    auto state = std::make_shared<State>();
    state->spec = spec_;
    state->api.emplace(google_, clock_);
    const bool found = FindProject(*state, {}) && FindLocation(*state, {});
    return found ? state : nullptr;
  }

  /// As `kinetic down --yes`. Returns whether it reports success.
  bool Down() {
    const auto state = Open();
    if (!state || !provision::PlanRemoval(*state, false, {})) {
      EXPECT_EQ(google_.mutations, 0) << "something was deleted without a plan";
      return false;
    }
    const ClusterPlan plan(state);
    warned_of_router_ = std::ranges::any_of(plan.warnings(), [](const std::string& warning) {
      return warning.starts_with("router kinetic-nat is not deleted if it exists");
    });
    Silent observer;
    if (!plan.IsEmpty() && !plan.Apply(observer)) return false;
    const bool removes_cluster = std::ranges::any_of(
        plan.steps(), [](const PlanStep& step) { return step.kind == "cluster"; });
    if (plan.keeps_cluster() && !removes_cluster) return true;
    const auto remaining = provision::FindRemaining(*state, {});
    return remaining && remaining->empty();
  }

  /// As `kinetic up`. Returns whether it plans a cluster.
  bool PlansCluster() {
    const auto state = Open();
    if (!state) return false;
    const auto step =
        provision::ReadStep(*state->api, *provision::MakeCluster(state->scope, ""), {});
    return step && step->action == PlanAction::kCreate;
  }

  /// What kinetic created and `down` is asked to remove.
  ///
  /// @param shares  another cluster of the name uses everything but the cluster
  std::vector<std::string> Billed(bool shares) const {
    std::vector<std::string> billed;
    // That of a cluster which is kept is not meant.
    if (google_.disks > 0 && !google_.things.contains(ClusterUrl("us-west4-a")))
      billed.emplace_back("disk");
    for (const auto& [url, thing] : google_.things) {
      const bool is_cluster = url.find("/clusters/") != std::string::npos;
      const bool is_other =
          is_cluster && !spec_.location.empty() && url != ClusterUrl(spec_.location);
      const Value* labels = thing.Find(is_cluster ? "resourceLabels" : "labels");
      const bool is_kept = is_cluster ? is_other : shares || url.starts_with("storage.");
      const bool is_unread = url == kRouter && warned_of_router_;
      if ((labels != nullptr || url == kRouter) && !is_kept && !is_unread) billed.push_back(url);
    }
    return billed;
  }

  std::size_t Clusters() const {
    return static_cast<std::size_t>(std::ranges::count_if(google_.things, [](const auto& thing) {
      return thing.first.find("/clusters/") != std::string::npos;
    }));
  }

  bool HasOtherCluster() const { return Clusters() > 1; }

 private:
  bool Chance(unsigned percent) {
    return std::uniform_int_distribution<unsigned>(1, 100)(random_) <= percent;
  }

  /// What a job leaves in the zone of the cluster.
  void AddDisk() { google_.disks = Chance(10) && spec_.location == "us-west4-a" ? 1 : 0; }

  void AddCluster(const std::string& zone) {
    Value cluster(Value::Map{{"name", "kinetic"},
                             {"location", zone},
                             {"status", "RUNNING"},
                             {"createTime", "2026-11-01T00:00:00Z"}});
    if (Chance(90)) cluster.Set("resourceLabels", Labels());
    google_.things[ClusterUrl(zone)] = std::move(cluster);
  }

  void Populate() {
    const std::string project = std::string("/v1/projects/") + kProject;
    auto& things = google_.things;
    if (Chance(10)) {
      google_.disabled = {std::string(google::kContainer), std::string(google::kArtifactRegistry)};
    } else {
      if (Chance(70)) AddCluster("us-west4-a");
      if (Chance(30)) AddCluster("us-west4-b");
      const std::string repository =
          "artifactregistry.googleapis.com" + project + "/locations/us-west4/repositories/kinetic";
      if (Chance(80))
        things[repository] = Value::Map{
            {"name", "projects/p/locations/us-west4/repositories/kinetic"}, {"labels", Labels()}};
      if (things.contains(repository)) things[repository + ":getIamPolicy"] = Value(Value::Map{});
    }
    if (Chance(30))
      things[kRouter] = Value::Map{{"name", provision::RouterName("kinetic")},
                                   {"description", provision::RouterDescription("kinetic")}};
    if (Chance(80))
      things["iam.googleapis.com" + project + "/serviceAccounts/kinetic-nodes@" + kProject +
             ".iam.gserviceaccount.com"] =
          Value::Map{{"name", "x"}, {"description", "Nodes of the kinetic cluster kinetic"}};
    things["cloudresourcemanager.googleapis.com/v3/projects/" + std::string(kProject) +
           ":getIamPolicy"] = Value(Value::Map{});
    // Its region is the only trace of a location that is not given.
    if (Chance(80) || spec_.location.empty()) {
      const std::string bucket =
          std::string("storage.googleapis.com/storage/v1/b/") + kProject + "-kinetic";
      things[bucket] = Value::Map{{"name", std::string(kProject) + "-kinetic"},
                                  {"location", "US-WEST4"},
                                  {"projectNumber", kNumber},
                                  {"labels", Labels()}};
      things[bucket + "/iam"] = Value(Value::Map{});
    }
  }

  /// Finds the URLs that are read by a run without failures of the same world.
  void AddFaults() {
    auto things = google_.things;
    Down();
    google_.things = std::move(things);
    google_.mutations = 0;
    std::set<std::string> urls = std::exchange(google_.seen, {});
    const unsigned percent =
        std::vector{5U, 20U, 60U}[std::uniform_int_distribution<std::size_t>(0, 2)(random_)];
    for (const std::string& url : urls) {
      if (!Chance(percent)) continue;
      auto fault = static_cast<Fault>(
          std::uniform_int_distribution<int>(0, static_cast<int>(Fault::kCount) - 1)(random_));
      const bool is_list =
          url.ends_with("/locations/-/clusters") || url.find("/aggregated/") != std::string::npos;
      if (is_list && Chance(40)) fault = Fault::kPartial;
      google_.faults[url] = {
          fault, Chance(50) ? 1'000'000 : std::uniform_int_distribution<int>(1, 12)(random_)};
    }
  }

  std::mt19937 random_;
  test::FakeClock clock_;
  FakeGoogle google_;
  ClusterSpec spec_;
  bool warned_of_router_ = false;  ///< by Down
};

unsigned NumberOf(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? static_cast<unsigned>(std::stoul(text)) : otherwise;
}

/// Calls `check` with the seeds of all worlds.
void ForEachWorld(const std::function<void(unsigned seed)>& check) {
  const unsigned first = NumberOf("KINETIC_CLOUD_SEED", 1);
  const unsigned count =
      std::getenv("KINETIC_CLOUD_SEED") != nullptr ? 1 : NumberOf("KINETIC_CLOUD_RUNS", 500);
  for (unsigned seed = first; seed < first + count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("KINETIC_CLOUD_SEED=" + std::to_string(seed));
    check(seed);
  }
}

TEST(CloudTruth, DownSucceedsOnlyIfNothingBilledIsLeft) {
  unsigned successes = 0;
  ForEachWorld([&](unsigned seed) {
    World world(seed);
    const bool shares = world.HasOtherCluster();
    if (!world.Down()) return;
    ++successes;
    EXPECT_THAT(world.Billed(shares), testing::IsEmpty());
  });
  EXPECT_GT(successes, 0U);
}

TEST(CloudTruth, UpNeverPlansASecondCluster) {
  ForEachWorld([](unsigned seed) {
    World world(seed);
    if (world.Clusters() == 0) return;
    EXPECT_FALSE(world.PlansCluster());
  });
}

}  // namespace
}  // namespace kinetic
