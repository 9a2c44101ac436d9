#include "kinetic/job_context.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "json/document.h"
#include "native/job_process.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <thread>
#include <utility>

namespace kinetic::inline v0 {
namespace {

constinit std::optional<JobContext> current;
constinit int signal_pipe = -1;
constinit pid_t signal_process = 0;

void OnTerminate(int signal) {
  if (::getpid() != signal_process) {
    // A process that the function forked ends like one without this handler.
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  const int saved = errno;
  (void)!::write(signal_pipe, "", 1);
  errno = saved;
}

/// A stop source that SIGTERM stops, from a thread, because a signal handler may not.
std::stop_source StartSignalThread() {
  std::stop_source source;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return source;
  signal_pipe = ends[1];
  signal_process = ::getpid();
  std::thread([source, end = ends[0]]() mutable {
    char byte = 0;
    while (::read(end, &byte, 1) < 0 && errno == EINTR) {
    }
    source.request_stop();
  }).detach();
  struct sigaction action = {};
  action.sa_handler = OnTerminate;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGTERM, &action, nullptr);
  return source;
}

}  // namespace

std::stop_token JobContext::StopToken() const {
  if (!current) return {};
  static const std::stop_source kSource = StartSignalThread();
  return kSource.get_token();
}

const JobContext* CurrentJob() { return current ? &*current : nullptr; }

namespace native {

void SetCurrentJob(JobContext context) { current = std::move(context); }

std::string ToJson(const JobContext& context) {
  return Value(Value::Map{{"id", context.id},
                          {"attempt", context.attempt},
                          {"output", context.output.native()},
                          {"checkpoints", context.checkpoints.native()},
                          {"data", context.data.native()},
                          {"task", context.task},
                          {"tasks", context.tasks}})
      .ToJson();
}

Result<JobContext> JobContextFromJson(std::string_view json) {
  const auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, "job.json: " + value.error().message);
  json::ObjectReader reader(*value, "job.json");
  JobContext context;
  context.id = reader.String("id");
  context.attempt = static_cast<std::uint32_t>(reader.Int("attempt"));
  context.output = reader.String("output");
  context.checkpoints = reader.String("checkpoints");
  context.data = reader.String("data");
  context.task = static_cast<std::uint32_t>(reader.OptionalInt("task").value_or(0));
  context.tasks = static_cast<std::uint32_t>(reader.OptionalInt("tasks").value_or(1));
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return context;
}

}  // namespace native
}  // namespace kinetic::inline v0
