#include "kinetic/job_file.h"

#include "base/strings.h"
#include "base/try.h"
#include "spec/check.h"
#include "spec/job_name.h"
#include "spec/overlay.h"
#include "spec/parse_job.h"
#include "spec/path_arguments.h"
#include "spec/read_job.h"
#include "spec/syntax_error.h"

namespace kinetic {
namespace {

using json::YamlNode;
using spec::Diagnostics;

constexpr std::size_t kMostBytes = 4U << 20;

/// What cannot be shown as YAML at all.
Status CheckText(std::string_view text, const std::string& label) {
  const auto refuse = [&](const std::string& message) {
    return Failure(Error{ErrorCode::kInvalidArgument, label + message, {}, {}}.With("errors", "1"));
  };
  if (text.size() > kMostBytes) {
    return refuse(": found " + std::to_string(text.size()) + " bytes, expected at most " +
                  std::to_string(kMostBytes) +
                  "; large arguments belong into files: $json, $jsonl");
  }
  int line = 0;
  for (const auto content : Split(text, '\n')) {
    ++line;
    const auto place = ":" + std::to_string(line) + ":1: ";
    if (!IsUtf8(content)) return refuse(place + "found bytes that are not UTF-8, expected text");
    if (content.find('\0') != std::string_view::npos) {
      return refuse(place + "found a NUL byte, expected text");
    }
  }
  return {};
}

/// The tree of the file, with what the command line adds; nothing where no walking on is possible.
std::optional<YamlNode> ReadTree(std::string_view text, const JobFileOptions& options,
                                 Diagnostics& diagnostics) {
  auto root = json::ParseYaml(text);
  if (!root) {
    spec::AddSyntaxError(root.error(), text, diagnostics);
    return std::nullopt;
  }
  if (!spec::CheckTree(*root, diagnostics)) return std::nullopt;
  if (root->kind == YamlNode::Kind::kNull) {
    root->kind = YamlNode::Kind::kMap;  // an empty file is a job without keys
    root->line = root->column = text.empty() ? 0 : 1;
  }
  if (root->kind == YamlNode::Kind::kMap) spec::ApplyOverlays(*root, options, diagnostics);
  return *std::move(root);
}

}  // namespace

Result<JobSpec> spec::ParseJob(std::string_view text, const Path& file,
                               const JobFileOptions& options, FileSystem& fs) {
  const std::string label = file.empty() ? "command line" : Printable(file.string());
  KINETIC_RETURN_IF_ERROR(CheckText(text, label));
  Diagnostics diagnostics(label, text);
  const auto root = ReadTree(text, options, diagnostics);
  if (!root) return Failure(diagnostics.Finish());

  spec::Positions positions;
  spec::CheckShape(*root, spec::JobFileShape(), diagnostics, positions);
  if (root->kind != YamlNode::Kind::kMap) return Failure(diagnostics.Finish());
  const Path directory = file.empty() ? options.directory
                                      : (options.directory / file).lexically_normal().parent_path();
  spec::ReadContext context{diagnostics, positions, options, fs, directory};
  JobSpec job = spec::ReadJob(*root, context);
  if (!diagnostics.ok()) return Failure(diagnostics.Finish());

  job.positions = std::move(positions);
  if (job.name.empty()) job.name = spec::DeriveName(job, file);
  if (job.bundle.root) KINETIC_RETURN_IF_ERROR(spec::ResolvePathArguments(job, *job.bundle.root));
  return job;
}

Result<JobSpec> ParseJobFile(std::string_view text, const std::filesystem::path& file,
                             const JobFileOptions& options) {
  return spec::ParseJob(text, file, options, PosixFileSystem());
}

}  // namespace kinetic
