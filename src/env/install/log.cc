#include "env/install/log.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "env/dependencies/urls.h"

#include <algorithm>
#include <array>

namespace kinetic::env {
namespace {

constexpr std::size_t kRecentLines = 400;

bool IsNoise(std::string_view line) {
  static constexpr std::array<std::string_view, 18> kStarts{"[notice]",
                                                            "note:",
                                                            "hint: See above",
                                                            "Collecting ",
                                                            "Downloading ",
                                                            "Using cached ",
                                                            "Obtaining dependency",
                                                            "Processing ",
                                                            "Requirement already",
                                                            "Looking in ",
                                                            "Preparing metadata",
                                                            "Installing build dependencies",
                                                            "Getting requirements",
                                                            "Resolved ",
                                                            "Using Python ",
                                                            "Using CPython ",
                                                            "Building wheel...",
                                                            "╰─>"};
  line = Trim(line);
  return line.empty() ||
         std::any_of(kStarts.begin(), kStarts.end(),
                     [&](std::string_view start) { return line.starts_with(start); }) ||
         line.find("━━") != std::string_view::npos;
}

}  // namespace

Result<InstallerLog> InstallerLog::Create(FileSystem& fs, const Path& path,
                                          std::vector<std::string> secrets, Observer* observer) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, path.parent_path()));
  KINETIC_ASSIGN_OR_RETURN(UniqueFd file, fs.Open(path, OpenMode::kTruncate, 0600));
  return InstallerLog(fs, path, std::move(file), std::move(secrets), observer);
}

void InstallerLog::Write(std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n' || c == '\r' || line_.size() >= kMaxLogLineBytes) EndLine();
    if (c != '\n' && c != '\r') line_ += c;
  }
}

std::string InstallerLog::Redacted(std::string_view line) const {
  std::string masked = WithoutCredentials(line);
  for (const auto& secret : secrets_) {
    for (auto at = masked.find(secret); at != std::string::npos; at = masked.find(secret, at + 3)) {
      masked.replace(at, secret.size(), "***");
    }
  }
  return masked;
}

void InstallerLog::EndLine() {
  const std::string line = Printable(Redacted(line_));
  line_.clear();
  if (line.empty()) return;
  // Errors of the log must not fail the build.
  if (file_) (void)fs_->Write(file_.get(), line + "\n");
  if (observer_ != nullptr) observer_->OnOutput(Phase::kBuild, line);
  recent_.push_back(line);
  if (recent_.size() > kRecentLines) recent_.pop_front();
}

std::vector<std::string> InstallerLog::LastLines() {
  EndLine();
  std::vector<std::string> lines;
  for (auto line = recent_.rbegin(); line != recent_.rend() && lines.size() < kShownLogLines;
       ++line) {
    if (!IsNoise(*line)) lines.push_back(*line);
  }
  std::reverse(lines.begin(), lines.end());
  return lines;
}

std::optional<std::string> InstallerLog::TextAfter(std::string_view text) const {
  for (const std::string& line : recent_) {
    const auto at = line.find(text);
    if (at != std::string::npos) return line.substr(at + text.size());
  }
  return std::nullopt;
}

void InstallerLog::Close(const Error* error) {
  if (error != nullptr && error->hint.find(path_.native()) != std::string::npos) return;
  file_.Reset();
  (void)fs_->Unlink(path_);
}

}  // namespace kinetic::env
