#include "kinetic/testing.h"

#include "record/outcome.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::inline v0 {
namespace {

ScriptedJob Failed(int exit_code, ExitSource source, std::string reason) {
  ScriptedJob job;
  job.outcome.state = JobState::kFailed;
  job.outcome.exit_code = exit_code;
  job.outcome.exit_source = source;
  job.outcome.reason = std::move(reason);
  return job;
}

}  // namespace

ScriptedJob ScriptedJob::Return(Value value) {
  ScriptedJob job;
  job.outcome.state = JobState::kSucceeded;
  job.outcome.value = std::move(value);
  return job;
}

ScriptedJob ScriptedJob::Raise(std::string type, std::string message) {
  ScriptedJob job = Failed(record::kExitException, ExitSource::kException, type + ": " + message);
  job.outcome.exception.emplace();
  job.outcome.exception->type = std::move(type);
  job.outcome.exception->message = std::move(message);
  return job;
}

ScriptedJob ScriptedJob::Exit(int code) {
  if (code == 0) return Return();
  return Failed(code, ExitSource::kProgram, fmt::format("exit code {}", code));
}

ScriptedJob ScriptedJob::End(JobState state, std::string reason) {
  ScriptedJob job = Failed(record::ExitCodeFor(state, record::kExitBeforeUserCode),
                           ExitSource::kKinetic, std::move(reason));
  job.outcome.state = state;
  return job;
}

ScriptedJob ScriptedJob::RunUntilCancelled() {
  ScriptedJob job = Return();
  job.duration.reset();
  return job;
}

ScriptedJob& ScriptedJob::Log(std::string_view text, Stream stream) & {
  return Log(text, std::chrono::milliseconds(0), stream);
}

ScriptedJob& ScriptedJob::Log(std::string_view text, std::chrono::milliseconds after,
                              Stream stream) & {
  log.push_back({std::string(text), after, stream});
  return *this;
}

ScriptedJob ScriptedJob::Log(std::string_view text, std::chrono::milliseconds after,
                             Stream stream) && {
  return std::move(Log(text, after, stream));
}

ScriptedJob ScriptedJob::Log(std::string_view text, Stream stream) && {
  return std::move(Log(text, stream));
}

ScriptedJob& ScriptedJob::Output(std::string path, std::string content) & {
  outputs.insert_or_assign(std::move(path), std::move(content));
  return *this;
}

ScriptedJob ScriptedJob::Output(std::string path, std::string content) && {
  return std::move(Output(std::move(path), std::move(content)));
}

ScriptedJob& ScriptedJob::RunFor(std::chrono::milliseconds time) & {
  duration = time;
  return *this;
}

ScriptedJob ScriptedJob::RunFor(std::chrono::milliseconds time) && {
  return std::move(RunFor(time));
}

}  // namespace kinetic::inline v0
