#pragma once

#include "kinetic/client.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Clients for the tests of programs that use libkinetic: docs/guide/cpp-testing.md.
namespace kinetic::inline v0 {

/// What a job of a fake client does: it writes its log and its outputs, runs for some time, and
/// ends.
///
///     ScriptedJob::Return(3).Log("epoch 1\n").Log("epoch 2\n", 50ms)
struct ScriptedJob {
  /// Returns a job that succeeds.
  static KINETIC_EXPORT ScriptedJob Return(Value value = {});
  /// Returns a job that fails with an exception.
  ///
  /// @param type  as in RemoteException::type.
  static KINETIC_EXPORT ScriptedJob Raise(std::string type, std::string message);
  /// Returns a job whose program exits with this code. It succeeds if the code is 0.
  static KINETIC_EXPORT ScriptedJob Exit(int code);
  /// Returns a job that kinetic ends, for example with kPreempted or kLost.
  ///
  /// @param reason  as in Outcome::reason.
  static KINETIC_EXPORT ScriptedJob End(JobState state, std::string reason);
  /// Returns a job that runs until it is cancelled.
  static KINETIC_EXPORT ScriptedJob RunUntilCancelled();

  /// Adds text to the log at the start of the job, one record for each line.
  KINETIC_EXPORT ScriptedJob& Log(std::string_view text, Stream stream = Stream::kStdout) &;
  KINETIC_EXPORT ScriptedJob Log(std::string_view text, Stream stream = Stream::kStdout) &&;
  /// Adds text to the log at this time after the start. The job does not end before.
  KINETIC_EXPORT ScriptedJob& Log(std::string_view text, std::chrono::milliseconds after,
                                  Stream stream = Stream::kStdout) &;
  KINETIC_EXPORT ScriptedJob Log(std::string_view text, std::chrono::milliseconds after,
                                 Stream stream = Stream::kStdout) &&;
  /// Adds an output file.
  ///
  /// @param path  relative to the job's output folder.
  KINETIC_EXPORT ScriptedJob& Output(std::string path, std::string content) &;
  KINETIC_EXPORT ScriptedJob Output(std::string path, std::string content) &&;
  /// Sets the time between the start and the end of the job. The outputs are stored at the end.
  KINETIC_EXPORT ScriptedJob& RunFor(std::chrono::milliseconds time) &;
  KINETIC_EXPORT ScriptedJob RunFor(std::chrono::milliseconds time) &&;

  struct LogText {
    std::string text;
    std::chrono::milliseconds after{0};  ///< since the start
    Stream stream = Stream::kStdout;
  };

  Outcome outcome;  ///< its state is final; `attempt`, `job` and `timeline` have no effect
  std::vector<LogText> log = {};
  std::map<std::string, std::string> outputs = {};  ///< content by path
  /// nullopt: until it is cancelled. 0: the job has ended when Submit returns.
  std::optional<std::chrono::milliseconds> duration = std::chrono::milliseconds(0);
};

/// Decides what a job does. Called when a job is submitted, and again for each further attempt that
/// JobSpec::retry allows. It must not throw. If it returns an error, Client::Submit returns the same
/// error and submits no job; for a further attempt, the job fails. `spec` has the arguments of the job.
/// It is called for each task of an array, with the arguments of the task; all tasks have ended when
/// Submit returns.
///
/// @threads  called on the thread that submits the job, so possibly several times at once; for a
///           further attempt also on a thread of the client.
using JobScript = std::function<Result<ScriptedJob>(const JobSpec& spec)>;

/// A call of a function of a fake client or of one of its jobs.
struct FakeCall {
  /// "Submit", "Wait" and so on. "Submit" is also each job of SubmitAll, Run is "Submit" and "Wait",
  /// and "Wait" is also OnDone and each job of WaitAll and the other functions of kinetic/waiting.h.
  std::string_view function;
  std::string_view job;  ///< its ID; empty for a function of Client
};

struct FakeOptions {
  /// Called at the start of each function that uses the store or the target. Its error is the result
  /// of the function, which then has no effect. It must not throw, and may be empty.
  ///
  /// @threads  called on the thread that calls the function.
  std::function<Status(const FakeCall& call)> on_call = {};
};

/// Opens a client whose jobs run no code: a script decides how they end. It needs no network, no
/// `kinetic-runner`, no Python and no InitFunctions. Specs and bundles are checked as usual; packages
/// and images are ignored. Files cannot be copied to and from running jobs.
///
/// The store is a temporary folder. It is removed with the client and all handles of its jobs.
///
/// @param options  `owner`, `environment`, `log` and the name of the profile are used. Secrets are
///                 in `environment`, which also names the parent of the folder (TMPDIR; /tmp).
/// @param fake     makes calls fail.
/// @errors  kInvalidArgument (an empty script) · kPermissionDenied, kResourceExhausted (the folder).
KINETIC_EXPORT Result<Client> OpenFakeClient(JobScript script, ClientOptions options = {},
                                             FakeOptions fake = {});

/// Opens a client that runs jobs on this machine, with an empty store and state in a temporary
/// folder, so that it has no jobs in common with other clients. Jobs without packages need no
/// network: `OpenTemporaryClient(LoadProfile("local"))` (kinetic/settings.h).
///
/// When the client and all handles of its jobs are destroyed, jobs that still run are cancelled and
/// the folder is removed.
///
/// @param options  of a local target; `state_dir` and `profile.store` are replaced.
/// @errors  the error of `options` · kInvalidArgument (the target is a cluster) · those of
///          Client::Open and OpenFakeClient.
KINETIC_EXPORT Result<Client> OpenTemporaryClient(Result<ClientOptions> options);

}  // namespace kinetic::inline v0
