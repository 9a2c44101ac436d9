#include "runner/devices/probe.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/concurrency/parallel.h"
#include "base/process/subprocess.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "json/document.h"
#include "runner/program/python_sources.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kMaxProbeErrorBytes = 64U << 10;

/// Appends output of a framework and keeps only the end.
void AppendTail(std::string& text, std::string_view piece) {
  text += piece;
  if (text.size() > 2 * kMaxProbeErrorBytes) text.erase(0, text.size() - kMaxProbeErrorBytes);
}

Subprocess ProcessOf(const DeviceProbe& probe, const std::string& framework) {
  Subprocess child;
  // Isolated mode (-I) ignores PYTHONPATH and the working directory. Modules of the job there could
  // have a framework's name and would run before the program. The site-packages of the interpreter
  // and of its virtual environment stay, since they are found through pyvenv.cfg.
  child.argv = {probe.python.native(),
                "-I",
                "-X",
                "utf8",
                "-c",
                std::string(DeviceProbeSource()),
                framework,
                probe.kind == ChipKind::kTpu ? "tpu" : "gpu"};
  child.environment = probe.environment;
  // By default JAX allocates most of a GPU's memory, which another framework may need.
  child.environment["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false";
  child.working_directory = probe.working_directory;
  return child;
}

std::string DescribeFailure(const Result<ExitStatus>& status, bool timed_out,
                            const DeviceProbe& probe, std::string_view errors) {
  std::string line = LastLine(errors);
  if (timed_out) {
    return fmt::format("no response after {}{}{}", FormatDuration(probe.timeout),
                       line.empty() ? "" : "; last output: ", line);
  }
  if (!status) return status.error().message;
  if (!line.empty()) return line;
  return status->signal != 0 ? fmt::format("killed by signal {}", status->signal)
                             : fmt::format("exited with code {}", status->code);
}

FrameworkReport ProbeFramework(const DeviceProbe& probe, const std::string& framework,
                               const std::stop_token& stop) {
  std::string output;
  std::string errors;
  Subprocess child = ProcessOf(probe, framework);
  child.on_stdout = [&](std::string_view piece) { output += piece; };
  child.on_stderr = [&](std::string_view piece) { AppendTail(errors, piece); };
  const Deadline deadline(probe.timeout, stop);
  const auto status = Run(child, deadline.token());
  // A complete report counts even if the process then hangs or crashes at exit.
  if (auto report = ParseFrameworkReport(framework, output, errors)) return *std::move(report);
  return {.framework = framework,
          .kind = FrameworkReport::Kind::kFailed,
          .message = DescribeFailure(status, deadline.expired(), probe, errors)};
}

constexpr std::size_t kMaxLineBytes = 300;

}  // namespace

std::string LastLine(std::string_view text) {
  text = Trim(text);
  const std::size_t line = text.rfind('\n');
  if (line != std::string_view::npos) text = Trim(text.substr(line + 1));
  if (text.size() <= kMaxLineBytes) return Printable(text);
  std::size_t end = kMaxLineBytes;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not within a character
  return Printable(text.substr(0, end)) + "…";
}

std::optional<FrameworkReport> ParseFrameworkReport(std::string_view framework,
                                                    std::string_view output,
                                                    std::string_view errors) {
  const auto value = Value::FromJson(output);
  if (!value) return std::nullopt;
  FrameworkReport report{.framework = std::string(framework)};
  if (value->IsNull()) return report;
  json::ObjectReader reader(*value, report.framework);
  report.kind = FrameworkReport::Kind::kReported;
  report.version = Printable(reader.String("version"));
  report.supported = reader.Bool("supported");
  for (const auto& [platform, count] : reader.Map("devices")) {
    if (count.AsInt() == nullptr) return std::nullopt;
    report.devices.emplace(Printable(platform), *count.AsInt());
  }
  const std::string refusal = reader.String("refusal");
  report.message = LastLine(Trim(refusal).empty() ? errors : refusal);
  if (!reader.Finish()) return std::nullopt;
  return report;
}

Result<std::vector<FrameworkReport>> ProbeFrameworks(const DeviceProbe& probe,
                                                     const std::vector<std::string>& frameworks,
                                                     const std::stop_token& stop) {
  std::vector<FrameworkReport> reports(frameworks.size());
  KINETIC_RETURN_IF_ERROR(
      ParallelFor(frameworks.size(), frameworks.size(), stop,
                  [&](std::size_t index, const std::stop_token& ended) -> Status {
                    reports[index] = ProbeFramework(probe, frameworks[index], ended);
                    return {};
                  }));
  return reports;
}

}  // namespace kinetic::runner
