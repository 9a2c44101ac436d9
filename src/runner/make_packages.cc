#include "runner/make_packages.h"

#include "base/digest.h"
#include "base/try.h"
#include "cloud/connector.h"
#include "env/packages_order.h"
#include "local/away.h"
#include "pod/packages_request.h"
#include "runner/diagnostics.h"
#include "store/open.h"

#include <fcntl.h>
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
/// Rights that were just given take their time.
constexpr std::chrono::minutes kStorePatience{1};
constexpr milliseconds kLongestDelay{5'000};

/// The first process of a container is ended by no signal that it has not asked for.
void EndWhenTold() {
  ::signal(SIGTERM, [](int signal) { ::_exit(128 + signal); });
  ::signal(SIGPIPE, SIG_IGN);
}

/// Says all on standard output, line by line.
class LineObserver final : public Observer {
 public:
  void OnOutput(Phase /*phase*/, std::string_view line) override { Say("", line); }
  void OnWarning(std::string_view message) override { Say(pod::kWarningMark, message); }

 private:
  void Say(std::string_view mark, std::string_view text) {
    const std::lock_guard lock(mutex_);
    std::string line(mark);
    line.append(text).append("\n");
    (void)std::fwrite(line.data(), 1, line.size(), stdout);
    (void)std::fflush(stdout);
  }

  std::mutex mutex_;
};

std::map<std::string, std::string> Variables() {
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

/// What installers are run with: as in any shell of the image, but for folders that may not be
/// there or be somebody else's.
Result<env::ToolOptions> ToolsIn(FileSystem& fs, const Path& folder) {
  env::ToolOptions tools{.cache_dir = folder / "cache", .environment = Variables()};
  for (const auto& [name, place] : {std::pair{"HOME", "home"}, std::pair{"TMPDIR", "tmp"}}) {
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder / place, 0700));
    tools.environment[name] = (folder / place).native();
  }
  tools.environment.erase(std::string(pod::kPackagesVariable));
  tools.environment["PIP_ROOT_USER_ACTION"] = "ignore";
  tools.search_path = tools.environment.try_emplace("PATH", kUsualPath).first->second;
  return tools;
}

Result<env::PrivateUrls> ReadPrivateUrls(FileSystem& fs) {
  const auto json = ReadFile(fs, pod::kPrivateUrlsFile, kMaxSecretBytes);
  if (!json && json.error().code == ErrorCode::kNotFound) return env::PrivateUrls();
  KINETIC_RETURN_IF_ERROR(json);
  return pod::PrivateUrlsFromJson(*json);
}

Result<env::PackagesOrder> ReadOrder(store::Store& store, const pod::PackagesRequest& request,
                                     const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto json, store::GetBytes(store, request.order, stop));
  if (!json) {
    return Fail(ErrorCode::kFailedPrecondition,
                store.Location() + "/" + request.order +
                    " does not exist, where a pod looks for it: nothing says what to make",
                "look whether pods are given the same store as clients: runner_endpoint");
  }
  if (Sha256::Of(*json).Hex() != request.order_sha256) {
    return Fail(ErrorCode::kDataLoss,
                store.Location() + "/" + request.order + " is not what was to be made");
  }
  return env::PackagesOrderFromJson(*json);
}

Result<std::unique_ptr<store::Store>> OpenPatiently(const std::string& location,
                                                    const store::Access& access) {
  const SteadyTime end = access.clock.Steady() + kStorePatience;
  for (milliseconds delay{100};; delay = std::min(2 * delay, kLongestDelay)) {
    auto opened = store::Open(location, access, {});
    if (opened) return opened;
    if (!local::IsAway(opened.error()) || access.clock.Steady() >= end) {
      // The client has opened it: what a pod does not find is no mistake of the caller's.
      Error error = std::move(opened).error().Context("opening the store in a pod");
      if (error.code == ErrorCode::kNotFound) error.code = ErrorCode::kFailedPrecondition;
      return Failure(std::move(error));
    }
    DiagnoseError("opening the store", Failure(opened.error()));
    KINETIC_RETURN_IF_ERROR(access.clock.Sleep(delay, {}));
  }
}

Status Make(const Path& folder) {
  FileSystem& fs = PosixFileSystem();
  const char* const text = ::getenv(std::string(pod::kPackagesVariable).c_str());
  KINETIC_ASSIGN_OR_RETURN(pod::PackagesRequest request,
                           pod::PackagesRequestFromJson(text == nullptr ? "" : text));
  const Path certificates = folder / pod::kMakerCertificates;
  if (fs.Lstat(certificates)) request.cloud.ca_file = certificates;
  cloud::Connector cloud(
      request.cloud, cloud::Seams{.fs = fs, .clock = SystemClock(), .uploads = folder / "uploads"});
  const store::Access access{fs, SystemClock(), cloud.Connecting(), cloud.Storage()};
  KINETIC_ASSIGN_OR_RETURN(const auto store, OpenPatiently(request.store, access));
  KINETIC_ASSIGN_OR_RETURN(auto order, ReadOrder(*store, request, {}));
  KINETIC_ASSIGN_OR_RETURN(auto private_urls, ReadPrivateUrls(fs));
  KINETIC_ASSIGN_OR_RETURN(const auto tools, ToolsIn(fs, folder));
  LineObserver observer;
  return env::CarryOut(std::move(order), std::move(private_urls), *store, tools, &observer, {});
}

/// The file is made by whoever starts the container.
void Tell(const Status& outcome) {
  const UniqueFd file(
      ::open(std::string(pod::kTerminationFile).c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (file) (void)PosixFileSystem().Write(file.get(), pod::OutcomeToJson(outcome));
}

}  // namespace

int MakePackages(const Path& folder) {
  EndWhenTold();
  const Status made = Make(folder);
  DiagnoseError("making the packages", made);
  Tell(made);
  return made ? 0 : 1;
}

}  // namespace kinetic::runner
