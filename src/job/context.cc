#include "job/context.h"

#include "kinetic/testing.h"
#include "kinetic/try.h"

#include "local/runtime.h"
#include "store/open.h"

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

}  // namespace

void Context::Log(LogLevel level, std::string_view message) const {
  if (options.log != nullptr) options.log->Write(level, "job", message);
}

Status Context::Call(std::string_view function, std::string_view job) const {
  return on_call ? on_call({.function = function, .job = job}) : Status();
}

connect::Dependencies DependenciesFor(const ClientOptions& options, FileSystem& fs, Clock& clock) {
  return {.fs = fs,
          .clock = clock,
          .log = options.log,
          .uploads = local::UploadsFolder(options.state_dir)};
}

Result<std::shared_ptr<Context>> OpenContext(ClientOptions options, std::stop_token stop,
                                             FileSystem& fs) {
  KINETIC_RETURN_IF_ERROR(CheckOptions(options));
  auto& clock = SystemClock();
  const connect::Dependencies dependencies = DependenciesFor(options, fs, clock);
  auto cloud = std::make_unique<connect::LazyConnection>(options.cloud, dependencies);
  const store::Access access{fs, clock, cloud->Opener(), cloud->GcsOptions(), options.log};
  KINETIC_ASSIGN_OR_RETURN(auto store, store::OpenLazy(options.profile.store, access, stop));
  KINETIC_ASSIGN_OR_RETURN(auto target, OpenTarget(options, dependencies, *store, {}, stop));
  return std::make_shared<Context>(std::move(options), fs, clock, std::move(cloud),
                                   std::move(store), std::move(target));
}

}  // namespace kinetic::job
