#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "connect/lazy_connection.h"
#include "env/resolve/build_request.h"
#include "pod/package_build_request.h"
#include "runner/diagnostics.h"
#include "runner/entry_points.h"
#include "store/object_store.h"
#include "store/open.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

extern char** environ;

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMaxSecretBytes = 2U << 20;
constexpr const char* kUsualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// New permissions take time to become effective.
constexpr std::chrono::minutes kOpenStoreTimeout{1};
constexpr milliseconds kLongestStoreDelay{5'000};

/// Process 1 of a container ignores signals without a handler.
void ExitOnTerminate() {
  ::signal(SIGTERM, [](int signal) { ::_exit(128 + signal); });
  ::signal(SIGPIPE, SIG_IGN);
}

/// Prints everything on standard output, line by line.
class LineObserver final : public Observer {
 public:
  void OnOutput(Phase /*phase*/, std::string_view line) override { Print("", line); }
  void OnWarning(std::string_view message) override { Print(pod::kWarningMark, message); }

 private:
  void Print(std::string_view mark, std::string_view text) {
    const std::lock_guard lock(mutex_);
    std::string line(mark);
    line.append(text).append("\n");
    (void)std::fwrite(line.data(), 1, line.size(), stdout);
    (void)std::fflush(stdout);
  }

  std::mutex mutex_;
};

std::map<std::string, std::string> EnvironmentVariables() {
  std::map<std::string, std::string> variables;
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text(*one);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return variables;
}

/// Returns the installers' environment: the image's, with own folders that exist and are writable.
Result<env::ToolOptions> ToolsIn(FileSystem& fs, const Path& folder) {
  env::ToolOptions tools{.cache_dir = folder / "cache", .environment = EnvironmentVariables()};
  for (const auto& [name, subfolder] : {std::pair{"HOME", "home"}, std::pair{"TMPDIR", "tmp"}}) {
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder / subfolder, 0700));
    tools.environment[name] = (folder / subfolder).native();
  }
  tools.environment.erase(std::string(pod::kPackageBuildVariable));
  tools.search_path = tools.environment.try_emplace("PATH", kUsualPath).first->second;
  return tools;
}

Result<env::PrivateUrls> ReadPrivateUrls(FileSystem& fs) {
  const auto json = ReadFile(fs, pod::kPrivateUrlsFile, kMaxSecretBytes);
  if (!json && json.error().code == ErrorCode::kNotFound) return env::PrivateUrls();
  KINETIC_RETURN_IF_ERROR(json);
  return pod::PrivateUrlsFromJson(*json);
}

Result<env::BuildRequest> ReadBuildRequest(store::Store& store,
                                           const pod::PackageBuildRequest& request,
                                           const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetBytes(store, request.request_name, stop));
  if (!json) {
    return Fail(ErrorCode::kFailedPrecondition,
                store.Location() + "/" + request.request_name +
                    " does not exist in the store that the pod uses",
                "check that runner_endpoint refers to the same store");
  }
  if (Sha256::Of(*json).Hex() != request.request_sha256) {
    return Fail(ErrorCode::kDataLoss, store.Location() + "/" + request.request_name +
                                          " does not match its digest in the request");
  }
  return env::BuildRequestFromJson(*json);
}

Result<std::unique_ptr<store::Store>> OpenStoreWithRetries(const std::string& location,
                                                           const store::Access& access) {
  const SteadyTime end = access.clock.Steady() + kOpenStoreTimeout;
  for (milliseconds delay{100};; delay = std::min(2 * delay, kLongestStoreDelay)) {
    auto opened = store::Open(location, access, {});
    if (opened) return opened;
    if (!store::IsStoreUnavailable(opened.error()) || access.clock.Steady() >= end) {
      // The client could open it, so the caller made no mistake.
      Error error = std::move(opened).error().Context("cannot open the store in a pod");
      if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kFailedPrecondition;
      return Failure(std::move(error));
    }
    LogFailure("opening the store", Failure(opened.error()));
    KINETIC_RETURN_IF_ERROR(access.clock.Sleep(delay, {}));
  }
}

Status RunBuild(const Path& folder) {
  FileSystem& fs = PosixFileSystem();
  const char* const text = ::getenv(std::string(pod::kPackageBuildVariable).c_str());
  KINETIC_ASSIGN_OR_RETURN(pod::PackageBuildRequest request,
                           pod::PackageBuildRequestFromJson(text == nullptr ? "" : text));
  const Path certificates = folder / pod::kBuilderCertificates;
  if (fs.Lstat(certificates)) request.cloud.ca_file = certificates;
  connect::LazyConnection cloud(
      request.cloud,
      connect::Dependencies{.fs = fs, .clock = SystemClock(), .uploads = folder / "uploads"});
  const store::Access access{fs, SystemClock(), cloud.Opener(), cloud.GcsOptions()};
  KINETIC_ASSIGN_OR_RETURN(const auto store, OpenStoreWithRetries(request.store, access));
  KINETIC_ASSIGN_OR_RETURN(auto build_request, ReadBuildRequest(*store, request, {}));
  KINETIC_ASSIGN_OR_RETURN(auto private_urls, ReadPrivateUrls(fs));
  KINETIC_ASSIGN_OR_RETURN(const auto tools, ToolsIn(fs, folder));
  LineObserver observer;
  return env::Execute(std::move(build_request), std::move(private_urls), *store, tools, &observer,
                      {});
}

}  // namespace

int BuildPackages(const Path& folder) {
  ExitOnTerminate();
  const Status built = RunBuild(folder);
  LogFailure("building packages", built);
  WriteTerminationMessage(pod::OutcomeToJson(built));
  return built ? 0 : 1;
}

}  // namespace kinetic::runner
