#include "kinetic/try.h"

#include "provision/shutdown/objects.h"
#include "provision/shutdown/policy.h"
#include "provision/shutdown/run.h"
#include "runner/diagnostics.h"
#include "runner/entry_points.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

namespace kinetic::runner {
namespace {

/// Writes to the log of the pod.
class DiagnosticLog final : public LogSink {
 public:
  void Write(LogLevel /*level*/, std::string_view /*component*/,
             std::string_view message) override {
    LogDiagnostic(message);
  }
};

/// The API server's address, which the kubelet sets.
std::map<std::string, std::string> ClusterVariables() {
  std::map<std::string, std::string> variables;
  for (const char* name : {"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}) {
    if (const char* value = ::getenv(name)) variables.emplace(name, value);
  }
  return variables;
}

Status CheckCluster() {
  const char* const text = ::getenv(std::string(provision::kShutdownVariable).c_str());
  KINETIC_ASSIGN_OR_RETURN(const auto policy,
                           provision::ShutdownPolicyFromJson(text == nullptr ? "" : text));
  DiagnosticLog log;
  return provision::RunShutdown(policy, ClusterVariables(), log, {});
}

}  // namespace

int ShutDown() {
  // Process 1 of a container ignores signals without a handler.
  ::signal(SIGTERM, [](int signal) { ::_exit(128 + signal); });
  ::signal(SIGPIPE, SIG_IGN);
  const Status checked = CheckCluster();
  LogFailure("deleting the cluster", checked);
  return checked ? 0 : 1;
}

}  // namespace kinetic::runner
