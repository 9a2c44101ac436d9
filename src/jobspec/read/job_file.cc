#include "kinetic/job_file.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "jobspec/diagnostics.h"
#include "jobspec/read/context.h"
#include "jobspec/read/job_file.h"
#include "jobspec/schema/check.h"

namespace kinetic::inline v0 {
namespace {

using jobspec::Diagnostics;
using json::YamlNode;

constexpr std::size_t kMaxFileBytes = 4U << 20;

/// Checks size and encoding before parsing.
Status CheckText(std::string_view text, const std::string& label) {
  const auto refuse = [&](const std::string& message) {
    return Failure(Error{ErrorCode::kInvalidArgument, label + message, {}, {}}.With("errors", "1"));
  };
  if (text.size() > kMaxFileBytes) {
    return refuse(": has " + std::to_string(text.size()) + " bytes, more than " +
                  std::to_string(kMaxFileBytes) +
                  "; move large arguments to a file: $json, $jsonl");
  }
  int line = 0;
  for (const auto content : Split(text, '\n')) {
    ++line;
    const auto place = ":" + std::to_string(line) + ":1: ";
    if (!IsUtf8(content)) return refuse(place + "not valid UTF-8");
    if (content.find('\0') != std::string_view::npos) {
      return refuse(place + "contains a NUL byte");
    }
  }
  return {};
}

/// Parses the file and applies the options. Returns nullopt if the tree cannot be walked.
std::optional<YamlNode> ReadTree(std::string_view text, const JobFileOptions& options,
                                 Diagnostics& diagnostics) {
  auto root = json::ParseYaml(text);
  if (!root) {
    jobspec::AddSyntaxError(root.error(), text, diagnostics);
    return std::nullopt;
  }
  if (!jobspec::CheckTree(*root, diagnostics)) return std::nullopt;
  if (root->kind == YamlNode::Kind::kNull) {
    root->kind = YamlNode::Kind::kMap;  // an empty file has no keys
    root->line = root->column = text.empty() ? 0 : 1;
  }
  if (root->kind == YamlNode::Kind::kMap) jobspec::ApplyOverlays(*root, options, diagnostics);
  return *std::move(root);
}

}  // namespace

Result<JobSpec> ParseJobFile(std::string_view text, const std::filesystem::path& file,
                             const JobFileOptions& options) {
  const std::string label = file.empty() ? "command line" : Printable(file.string());
  KINETIC_RETURN_IF_ERROR(CheckText(text, label));
  Diagnostics diagnostics(label, text);
  const auto root = ReadTree(text, options, diagnostics);
  if (!root) return Failure(diagnostics.Finish());

  jobspec::Positions positions;
  jobspec::CheckShape(*root, jobspec::JobFileShape(), diagnostics, positions);
  if (root->kind != YamlNode::Kind::kMap) return Failure(diagnostics.Finish());
  const Path directory = file.empty() ? options.directory
                                      : (options.directory / file).lexically_normal().parent_path();
  jobspec::ReadContext context{diagnostics, positions, options, PosixFileSystem(), directory};
  JobSpec job = jobspec::ReadJob(*root, context);
  if (!diagnostics.ok()) return Failure(diagnostics.Finish());

  job.positions = std::move(positions);
  if (job.name.empty()) job.name = jobspec::DeriveName(job, file);
  if (job.bundle.root)
    KINETIC_RETURN_IF_ERROR(jobspec::ResolvePathArguments(job, *job.bundle.root));
  return job;
}

}  // namespace kinetic::inline v0
