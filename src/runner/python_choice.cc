#include "runner/python_choice.h"

#include "base/strings.h"
#include "base/subprocess.h"
#include "base/try.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace kinetic::runner {
namespace {

constexpr std::int64_t kOldestMinor = 9;
constexpr std::string_view kFunctionHint =
    "a function job needs Python 3.9 or newer in its image, along PATH; name another image, or use "
    "run: for what needs no Python";

/// It answers in four lines; what it imports is built in, for the modules of the image and of the
/// job are not its concern.
constexpr std::string_view kQuestions = R"(import sys, posix
try:
    libc = posix.confstr('CS_GNU_LIBC_VERSION')
except (AttributeError, OSError, ValueError):
    libc = None
print('%d.%d' % sys.version_info[:2])
print('%d.%d.%d' % sys.version_info[:3])
print(libc or '')
print(getattr(sys, '_base_executable', None) or sys.executable)
)";

/// An executable file as it is reached by no link.
Path WithoutLinks(const Path& path) {
  std::error_code failed;
  Path real = std::filesystem::canonical(path, failed);
  return failed ? path : real;
}

/// Of "glibc 2.36".
std::optional<int> GlibcMinor(std::string_view said) {
  constexpr std::string_view kName = "glibc 2.";
  if (!said.starts_with(kName)) return std::nullopt;
  const std::string_view rest = said.substr(kName.size());
  const auto minor = ParseInt(rest.substr(0, rest.find_first_not_of("0123456789")));
  if (!minor || *minor > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*minor);
}

ImagePython FromAnswers(const Path& path, std::string_view said) {
  auto lines = Split(Trim(said), '\n');
  lines.resize(4);
  ImagePython python{.path = path,
                     .base = WithoutLinks(lines[3].empty() ? path : Path(lines[3])),
                     .version = std::string(lines[0]),
                     .release = std::string(lines[1]),
                     .glibc_minor = GlibcMinor(lines[2])};
  return python;
}

Result<ImagePython> Ask(const Path& path, const PythonWish& wish, std::string_view hint,
                        std::stop_token stop) {
  std::string said;
  std::string complaint;
  Subprocess probe;
  probe.argv = {path.native(), "-S", "-c", std::string(kQuestions)};
  probe.environment = wish.environment;
  probe.search_path = wish.search_path;
  probe.on_stdout = [&](std::string_view piece) { said += piece; };
  probe.on_stderr = [&](std::string_view piece) { complaint += piece; };
  KINETIC_ASSIGN_OR_RETURN(const ExitStatus status, Run(probe, std::move(stop)));
  if (status.Succeeded()) return FromAnswers(path, said);
  const auto lines = Split(Trim(complaint), '\n');
  return Fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("{} of {} does not run: {}", path.native(), NameOfImage(wish), lines.back()),
      std::string(hint));
}

bool IsNewEnough(std::string_view version) {
  const auto parts = Split(version, '.');
  if (parts.size() != 2) return false;
  const auto major = ParseInt(parts[0]);
  const auto minor = ParseInt(parts[1]);
  return major && minor && (*major > 3 || (*major == 3 && *minor >= kOldestMinor));
}

/// The names of interpreters, the best one first.
std::vector<std::string> NamesFor(const PythonWish& wish) {
  std::vector<std::string> names{"python3", "python"};
  if (!wish.version.empty()) names.insert(names.begin(), "python" + wish.version);
  return names;
}

std::string NoPythonIn(const PythonWish& wish) {
  return fmt::format("there is no python3 in {} (PATH is {})", NameOfImage(wish), wish.search_path);
}

/// What to do when an image has another Python than the packages are for. An image that the job
/// itself names gets no packages, so it is one of the profile's.
std::string HintFor(const PythonWish& wish, const ImagePython* other) {
  std::string hint =
      fmt::format("let the profile name an image with Python {}, such as python:{}-slim",
                  wish.version, wish.version);
  if (other == nullptr || !IsNewEnough(other->version)) return hint;
  return fmt::format("write 'python: \"{}\"' into the job file, or {}", other->version, hint);
}

}  // namespace

std::string NameOfImage(const PythonWish& wish) {
  return wish.image.empty() ? "the job's image" : "the image " + wish.image;
}

Result<ImagePython> ChoosePython(const PythonWish& wish, std::stop_token stop) {
  std::string too_old;
  for (const auto& name : NamesFor(wish)) {
    const auto found = FindExecutable(name, wish.search_path);
    if (!found) continue;
    KINETIC_ASSIGN_OR_RETURN(ImagePython python, Ask(*found, wish, kFunctionHint, stop));
    if (IsNewEnough(python.version)) return python;
    if (too_old.empty()) too_old = fmt::format("{} is Python {}", found->native(), python.version);
  }
  if (!too_old.empty()) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("the Python of {} is too old: {}", NameOfImage(wish), too_old),
                std::string(kFunctionHint));
  }
  return Fail(ErrorCode::kNotFound, NoPythonIn(wish), std::string(kFunctionHint));
}

Result<ImagePython> FindPythonFor(const PythonWish& wish, std::stop_token stop) {
  std::optional<ImagePython> other;
  for (const auto& name : NamesFor(wish)) {
    const auto found = FindExecutable(name, wish.search_path);
    if (!found) continue;
    KINETIC_ASSIGN_OR_RETURN(ImagePython python, Ask(*found, wish, HintFor(wish, nullptr), stop));
    if (python.version == wish.version) return python;
    if (!other) other = std::move(python);
  }
  const std::string packages =
      fmt::format("and the packages of the job are for Python {}", wish.version);
  if (!other) {
    return Fail(ErrorCode::kFailedPrecondition, NoPythonIn(wish) + ", " + packages,
                HintFor(wish, nullptr));
  }
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("{} has Python {} ({}), {}", NameOfImage(wish), other->version,
                          other->path.native(), packages),
              HintFor(wish, &*other));
}

}  // namespace kinetic::runner
