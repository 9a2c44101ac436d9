#include "job/context.h"

#include "base/try.h"
#include "local/runtime.h"
#include "store/open.h"
#include "target/local_target.h"

#include <utility>

namespace kinetic::job {
namespace {

Status CheckOptions(const ClientOptions& options) {
  const std::pair<const char*, const Path*> paths[] = {{"state_dir", &options.state_dir},
                                                       {"cache_dir", &options.cache_dir},
                                                       {"runner", &options.runner}};
  for (const auto& [name, path] : paths) {
    if (path->is_absolute()) continue;
    return Fail(ErrorCode::kInvalidArgument, std::string("opening a client: ") + name +
                                                 ": expected an absolute path, found '" +
                                                 path->native() + "'");
  }
  return {};
}

/// A cluster's jobs would otherwise run on this machine without a word.
Status CheckKind(const Profile& profile) {
  if (profile.kind == TargetKind::kLocal) return {};
  return Fail(ErrorCode::kUnimplemented,
              "opening the target " + profile.name +
                  ": this version of kinetic runs jobs on this machine only, not on a cluster",
              "choose a profile of kind local");
}

}  // namespace

void Context::Log(LogLevel level, std::string_view message) const {
  if (options.log != nullptr) options.log->Write(level, "job", message);
}

Result<std::shared_ptr<Context>> OpenContext(ClientOptions options, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckOptions(options));
  KINETIC_RETURN_IF_ERROR(CheckKind(options.profile));
  auto& fs = PosixFileSystem();
  auto& clock = SystemClock();
  auto cloud = std::make_unique<cloud::Connector>(
      options.cloud, cloud::Seams{.fs = fs,
                                  .clock = clock,
                                  .log = options.log,
                                  .uploads = local::UploadsFolder(options.state_dir)});
  const store::Access access{fs, clock, cloud->Connecting(), cloud->Storage(), options.log};
  KINETIC_ASSIGN_OR_RETURN(auto store, store::OpenAhead(options.profile.store, access, stop));
  target::LocalTargetOptions local{.state_dir = options.state_dir,
                                   .runner = options.runner,
                                   .store = options.profile.store,
                                   .search_path = options.search_path,
                                   .concurrency = options.profile.concurrency,
                                   .data_cache = options.profile.data_cache,
                                   .cloud = options.cloud};
  auto target = target::MakeLocalTarget(std::move(local), fs, clock);
  return std::make_shared<Context>(std::move(options), fs, clock, std::move(cloud),
                                   std::move(store), std::move(target));
}

}  // namespace kinetic::job
