#include "runner/device_probe.h"

#include "base/deadline.h"
#include "base/parallel.h"
#include "base/subprocess.h"
#include "base/try.h"
#include "base/units.h"
#include "runner/python_sources.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kMaxComplaint = 64U << 10;

/// Keeps the end of what a framework prints, which may be much.
void Keep(std::string& text, std::string_view piece) {
  text += piece;
  if (text.size() > 2 * kMaxComplaint) text.erase(0, text.size() - kMaxComplaint);
}

Subprocess ProcessOf(const DeviceProbe& probe, const std::string& framework) {
  Subprocess child;
  // Isolated (-I): PYTHONPATH begins with the job's own folder, and Python would look in the
  // working directory first; a module there may have a framework's name, or be imported by one,
  // and would run before the program. The site-packages of the interpreter and of its virtual
  // environment are found by where it lies (pyvenv.cfg), and stay.
  child.argv = {probe.python.native(),
                "-I",
                "-X",
                "utf8",
                "-c",
                std::string(DeviceProbeSource()),
                framework,
                probe.kind == ChipKind::kTpu ? "tpu" : "gpu"};
  child.environment = probe.environment;
  // By default JAX takes most of a GPU's memory, which a framework beside it may want.
  child.environment["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false";
  child.working_directory = probe.working_directory;
  return child;
}

std::string WhyUnknown(const Result<ExitStatus>& status, bool late, const DeviceProbe& probe,
                       std::string_view complaint) {
  std::string words = LastWords(complaint);
  if (late) {
    return fmt::format("it had not answered after {}{}{}", FormatDuration(probe.patience),
                       words.empty() ? "" : "; its last words: ", words);
  }
  if (!status) return status.error().message;
  if (!words.empty()) return words;
  return status->signal != 0 ? fmt::format("it was ended by signal {}", status->signal)
                             : fmt::format("it ended with code {}", status->code);
}

DeviceAnswer Ask(const DeviceProbe& probe, const std::string& framework,
                 const std::stop_token& stop) {
  std::string said;
  std::string complaint;
  Subprocess child = ProcessOf(probe, framework);
  child.on_stdout = [&](std::string_view piece) { said += piece; };
  child.on_stderr = [&](std::string_view piece) { Keep(complaint, piece); };
  const Deadline deadline(probe.patience, stop);
  const auto status = Run(child, deadline.token());
  // What was said counts, also of one that then hangs or falls over at its exit.
  if (auto answer = DeviceAnswerFrom(framework, said, complaint)) return *std::move(answer);
  return {.framework = framework,
          .kind = DeviceAnswer::Kind::kUnknown,
          .said = WhyUnknown(status, deadline.passed(), probe, complaint)};
}

}  // namespace

Result<std::vector<DeviceAnswer>> AskFrameworks(const DeviceProbe& probe,
                                                const std::vector<std::string>& frameworks,
                                                const std::stop_token& stop) {
  std::vector<DeviceAnswer> answers(frameworks.size());
  KINETIC_RETURN_IF_ERROR(Parallel(frameworks.size(), frameworks.size(), stop,
                                   [&](std::size_t index, const std::stop_token& ended) -> Status {
                                     answers[index] = Ask(probe, frameworks[index], ended);
                                     return {};
                                   }));
  return answers;
}

}  // namespace kinetic::runner
