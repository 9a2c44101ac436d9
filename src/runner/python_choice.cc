#include "runner/python_choice.h"

#include "base/strings.h"
#include "base/subprocess.h"
#include "base/try.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace kinetic::runner {
namespace {

constexpr std::int64_t kOldestMinor = 9;
constexpr std::string_view kHint =
    "a function job needs Python 3.9 or newer in its image, along PATH; name another image, or use "
    "run: for what needs no Python";

std::string Image(const PythonWish& wish) {
  return wish.image.empty() ? "the job's image" : "the image " + wish.image;
}

/// "3.11"
Result<std::string> VersionOf(const Path& python, const PythonWish& wish, std::stop_token stop) {
  std::string said;
  std::string complaint;
  Subprocess probe;
  probe.argv = {python.native(), "-S", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"};
  probe.environment = wish.environment;
  probe.search_path = wish.search_path;
  probe.on_stdout = [&](std::string_view piece) { said += piece; };
  probe.on_stderr = [&](std::string_view piece) { complaint += piece; };
  KINETIC_ASSIGN_OR_RETURN(const ExitStatus status, Run(probe, std::move(stop)));
  if (status.Succeeded()) return std::string(Trim(said));
  const auto lines = Split(Trim(complaint), '\n');
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("{} of {} does not run: {}", python.native(), Image(wish), lines.back()),
              std::string(kHint));
}

bool IsNewEnough(std::string_view version) {
  const auto parts = Split(version, '.');
  if (parts.size() != 2) return false;
  const auto major = ParseInt(parts[0]);
  const auto minor = ParseInt(parts[1]);
  return major && minor && (*major > 3 || (*major == 3 && *minor >= kOldestMinor));
}

}  // namespace

Result<Path> ChoosePython(const PythonWish& wish, std::stop_token stop) {
  std::vector<std::string> names{"python3", "python"};
  if (!wish.version.empty()) names.insert(names.begin(), "python" + wish.version);
  std::string too_old;
  for (const auto& name : names) {
    const auto found = FindExecutable(name, wish.search_path);
    if (!found) continue;
    KINETIC_ASSIGN_OR_RETURN(const std::string version, VersionOf(*found, wish, stop));
    if (IsNewEnough(version)) return *found;
    if (too_old.empty()) too_old = fmt::format("{} is Python {}", found->native(), version);
  }
  if (!too_old.empty()) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("the Python of {} is too old: {}", Image(wish), too_old),
                std::string(kHint));
  }
  return Fail(ErrorCode::kNotFound,
              fmt::format("there is no python3 in {} (PATH is {})", Image(wish), wish.search_path),
              std::string(kHint));
}

}  // namespace kinetic::runner
