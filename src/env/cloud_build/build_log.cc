#include "base/strings.h"
#include "env/cloud_build/build_io.h"
#include "env/dependencies/urls.h"
#include "env/install/log.h"

#include <cstddef>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::size_t kShownBytes = 300;

/// Returns the first bytes of a line, without splitting a UTF-8 character.
std::string TruncateLine(const std::string& line) {
  std::size_t end = kShownBytes;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
  return line.substr(0, end);
}

}  // namespace

Result<bool> CloudBuildLog::Read(std::stop_token stop) {
  if (is_closed_) return false;
  const std::uint64_t before = read_bytes_;
  const auto take = [&](std::string_view bytes) -> Status {
    Append(bytes);
    return {};
  };
  const auto read = store_.Get(name_, {.offset = read_bytes_, .length = {}}, take, std::move(stop));
  if (!read && read.error().code == ErrorCode::kCancelled) return Failure(read.error());
  if (!read && read.error().code == ErrorCode::kPermissionDenied) {
    is_closed_ = true;
    if (observer_ != nullptr) {
      observer_->OnWarning("cannot show the build log: " + read.error().message);
    }
  }
  return read_bytes_ > before;
}

void CloudBuildLog::Append(std::string_view bytes) {
  read_bytes_ += bytes.size();
  for (const char c : bytes) {
    if (c == '\n' || c == '\r' || line_.size() >= kMaxLogLineBytes) EndLine();
    if (c != '\n' && c != '\r') line_ += c;
  }
}

void CloudBuildLog::EndLine() {
  const std::string line = Printable(WithoutCredentials(std::exchange(line_, {})));
  if (Trim(line).empty()) return;
  if (observer_ != nullptr) observer_->OnOutput(Phase::kBuild, line);
  // Engines print a whole Dockerfile step in one line.
  recent_.push_back(line.size() <= kShownBytes ? line : TruncateLine(line) + "…");
  if (recent_.size() > kShownLogLines) recent_.pop_front();
}

std::vector<std::string> CloudBuildLog::LastLines() {
  EndLine();
  return {recent_.begin(), recent_.end()};
}

}  // namespace kinetic::env
