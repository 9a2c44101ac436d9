#include "kinetic/testing.h"

#include "kinetic/try.h"

#include "backend/local/runtimes.h"
#include "backend/scripted/target.h"
#include "base/concurrency/parallel.h"
#include "base/files/temp_dir.h"
#include "job/context.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace kinetic::inline v0 {
namespace {

Result<TempDir> MakeFolder(const ClientOptions& options) {
  const auto parent = options.environment.find("TMPDIR");
  const bool is_set = parent != options.environment.end() && parent->second.starts_with('/');
  return TempDir::Make(UnflushedFileSystem(), is_set ? parent->second : "/tmp", "kinetic-");
}

/// Cancelling waits for the end of a job.
constexpr std::size_t kMaxCancels = 16;

/// A store in a temporary folder, which also has the other files of a client. The store is the part
/// of a client that is destroyed last.
struct TemporaryStore {
  TemporaryStore(TempDir place, std::shared_ptr<store::Store> within)
      : folder(std::move(place)), store(std::move(within)) {}
  TemporaryStore(const TemporaryStore&) = delete;
  TemporaryStore& operator=(const TemporaryStore&) = delete;
  ~TemporaryStore() {
    if (on_end) on_end();
  }

  TempDir folder;
  std::shared_ptr<store::Store> store;
  std::function<void()> on_end = {};
};

/// Opens a context whose store and state are in a temporary folder.
///
/// @param end_jobs  whether jobs may still run when the context is destroyed.
Result<std::shared_ptr<job::Context>> OpenTemporaryContext(ClientOptions options, TempDir folder,
                                                           bool end_jobs) {
  options.profile.store = (folder.path() / "store").native();
  options.state_dir = folder.path() / "state";
  KINETIC_ASSIGN_OR_RETURN(auto context,
                           job::OpenContext(std::move(options), {}, UnflushedFileSystem()));
  const auto owner = std::make_shared<TemporaryStore>(std::move(folder), context->store);
  if (end_jobs) {
    owner->on_end = [target = context->target, &fs = context->fs,
                     state_dir = context->options.state_dir] {
      const auto ids = backend::ListRuntimes(fs, state_dir);
      if (!ids) return;
      (void)ParallelFor(kMaxCancels, ids->size(), {}, [&](std::size_t i, const std::stop_token&) {
        (void)target->Cancel((*ids)[i], {});
        return Status();
      });
    };
  }
  context->store = std::shared_ptr<store::Store>(owner, owner->store.get());
  return context;
}

}  // namespace

Result<Client> OpenFakeClient(JobScript script, ClientOptions options, FakeOptions fake) {
  if (!script)
    return Fail(ErrorCode::kInvalidArgument, "cannot open a fake client: the script is empty");
  KINETIC_ASSIGN_OR_RETURN(TempDir folder, MakeFolder(options));
  ClientOptions own;
  own.cache_dir = folder.path() / "cache";
  own.runner = folder.path() / "runner";
  own.environment = std::move(options.environment);
  own.owner = std::move(options.owner);
  own.log = options.log;
  own.profile.name = std::move(options.profile.name);
  KINETIC_ASSIGN_OR_RETURN(auto context,
                           OpenTemporaryContext(std::move(own), std::move(folder), false));
  context->target = backend::MakeScriptedTarget(std::move(script), context->store, context->clock);
  context->on_call = std::move(fake.on_call);
  return job::ClientFactory::Make(std::move(context));
}

Result<Client> OpenTemporaryClient(Result<ClientOptions> options) {
  if (!options) return Failure(std::move(options).error());
  if (options->profile.kind != TargetKind::kLocal)
    return Fail(ErrorCode::kInvalidArgument,
                "cannot open a temporary client of the target " + options->profile.name +
                    ": it is a cluster",
                "use the options of a local target, as LoadProfile(\"local\") returns them");
  KINETIC_ASSIGN_OR_RETURN(TempDir folder, MakeFolder(*options));
  KINETIC_ASSIGN_OR_RETURN(auto context,
                           OpenTemporaryContext(*std::move(options), std::move(folder), true));
  return job::ClientFactory::Make(std::move(context));
}

}  // namespace kinetic::inline v0
