#include "local/pulse.h"

#include "base/strings.h"

#include <fmt/format.h>

namespace kinetic::local {
namespace {

using std::chrono::steady_clock;

/// Of a fixed length, so that a reader never sees a part of a number.
std::string Now() {
  return fmt::format("{:020}\n", steady_clock::now().time_since_epoch() / std::chrono::seconds(1));
}

}  // namespace

Pulse::Pulse(FileSystem& fs, const Runtime& runtime)
    : fs_(fs), folder_(runtime.folder), file_(runtime.PulseFile()) {}

bool Pulse::Beat() {
  const auto now = steady_clock::now();
  if (!last_ || now - *last_ >= kPulseInterval) {
    last_ = now;
    auto fd = fd_ ? Result<UniqueFd>(std::move(fd_)) : fs_.Open(file_, OpenMode::kReadWrite, 0600);
    // Without the file, as on a full disk, the supervisor counts as alive.
    if (fd && fs_.WriteAt(fd->get(), Now(), 0)) {
      fd_ = *std::move(fd);
    } else {
      (void)fs_.Unlink(file_);
    }
  }
  if (fd_) {  // the folder may have been created again
    const auto status = fs_.Fstat(fd_.get());
    return !status || status->links > 0;
  }
  const auto folder = fs_.Lstat(folder_);
  return folder || folder.error().code != ErrorCode::kNotFound;
}

std::optional<std::chrono::seconds> PulseAge(FileSystem& fs, const Runtime& runtime) {
  constexpr std::uint64_t kMaxBytes = 64;
  const auto text = ReadFile(fs, runtime.PulseFile(), kMaxBytes);
  const auto seconds = text ? ParseInt(Trim(*text)) : std::nullopt;
  if (!seconds) return std::nullopt;
  const auto last = steady_clock::time_point(std::chrono::seconds(*seconds));
  const auto now = steady_clock::now();
  // A time in the future is one of an earlier boot, or of another time namespace.
  if (last > now) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::seconds>(now - last);
}

bool IsSilent(FileSystem& fs, const Runtime& runtime) {
  const auto age = PulseAge(fs, runtime);
  if (age) return *age >= kPulseTimeout;
  const auto folder = fs.Lstat(runtime.folder);
  return !folder && folder.error().code == ErrorCode::kNotFound;
}

}  // namespace kinetic::local
