#include "runner/program/python.h"

#include "kinetic/try.h"

#include "base/process/subprocess.h"
#include "base/strings.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::runner {
namespace {

constexpr std::int64_t kOldestMinor = 9;
constexpr std::string_view kFunctionHint =
    "use an image with Python 3.9 or newer in PATH, which a function job needs, or use 'run:' for "
    "a "
    "program without Python";

/// Prints four lines. Imports only built-in modules, so that modules of the image and the job
/// cannot interfere.
constexpr std::string_view kInterpreterQuery = R"(import sys, posix
try:
    libc = posix.confstr('CS_GNU_LIBC_VERSION')
except (AttributeError, OSError, ValueError):
    libc = None
print('%d.%d' % sys.version_info[:2])
print('%d.%d.%d' % sys.version_info[:3])
print(libc or '')
print(getattr(sys, '_base_executable', None) or sys.executable)
)";

/// Returns the executable without symbolic links.
Path ResolveLinks(const Path& path) {
  std::error_code failed;
  Path real = std::filesystem::canonical(path, failed);
  return failed ? path : real;
}

/// Returns 36 for "glibc 2.36".
std::optional<int> GlibcMinor(std::string_view library) {
  constexpr std::string_view kName = "glibc 2.";
  if (!library.starts_with(kName)) return std::nullopt;
  const std::string_view rest = library.substr(kName.size());
  const auto minor = ParseInt(rest.substr(0, rest.find_first_not_of("0123456789")));
  if (!minor || *minor > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*minor);
}

ImagePython ParseInterpreter(const Path& path, std::string_view output) {
  auto lines = Split(Trim(output), '\n');
  lines.resize(4);
  ImagePython python{.path = path,
                     .base = ResolveLinks(lines[3].empty() ? path : Path(lines[3])),
                     .version = std::string(lines[0]),
                     .release = std::string(lines[1]),
                     .glibc_minor = GlibcMinor(lines[2])};
  return python;
}

Result<ImagePython> QueryInterpreter(const Path& path, const PythonQuery& query,
                                     std::string_view hint, std::stop_token stop) {
  std::string output;
  std::string errors;
  Subprocess probe;
  probe.argv = {path.native(), "-S", "-c", std::string(kInterpreterQuery)};
  probe.environment = query.environment;
  probe.search_path = query.search_path;
  probe.on_stdout = [&](std::string_view piece) { output += piece; };
  probe.on_stderr = [&](std::string_view piece) { errors += piece; };
  KINETIC_ASSIGN_OR_RETURN(const ExitStatus status, Run(probe, std::move(stop)));
  if (status.Succeeded()) return ParseInterpreter(path, output);
  const auto lines = Split(Trim(errors), '\n');
  return Fail(
      ErrorCode::kFailedPrecondition,
      fmt::format("{} of {} cannot be run: {}", path.native(), DescribeImage(query), lines.back()),
      std::string(hint));
}

bool IsNewEnough(std::string_view version) {
  const auto parts = Split(version, '.');
  if (parts.size() != 2) return false;
  const auto major = ParseInt(parts[0]);
  const auto minor = ParseInt(parts[1]);
  return major && minor && (*major > 3 || (*major == 3 && *minor >= kOldestMinor));
}

/// Returns the names of interpreters in order of preference.
std::vector<std::string> NamesFor(const PythonQuery& query) {
  std::vector<std::string> names{"python3", "python"};
  if (!query.version.empty()) names.insert(names.begin(), "python" + query.version);
  return names;
}

std::string NoPythonIn(const PythonQuery& query) {
  return fmt::format("no python3 found in {} (PATH={})", DescribeImage(query), query.search_path);
}

/// Returns what to do if the image has another Python than the packages need. Jobs that name an
/// image get no packages, so the image comes from the profile.
std::string HintFor(const PythonQuery& query, const ImagePython* other) {
  std::string hint =
      fmt::format("set an image with Python {} in the profile, such as python:{}-slim",
                  query.version, query.version);
  if (other == nullptr || !IsNewEnough(other->version)) return hint;
  return fmt::format("set 'python: \"{}\"' in the job file, or {}", other->version, hint);
}

/// Characters that separate words in a shell command line, also within quotes.
constexpr std::string_view kSeparators = " \t\n;&|()<>'\"`=$";

/// "python", "python3", "python3.12"
bool IsPythonName(std::string_view name) {
  constexpr std::string_view kName = "python";
  return name.starts_with(kName) &&
         name.substr(kName.size()).find_first_not_of("0123456789.") == std::string_view::npos;
}

/// Returns the first word that is a Python's name or path.
std::optional<std::string> PythonIn(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(kSeparators);
    const std::string_view word = text.substr(0, end);
    if (IsPythonName(word.substr(word.rfind('/') + 1))) return std::string(word);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::optional<Path> FindPython(const std::string& name, const Program& program) {
  if (name.find('/') != std::string::npos) {
    const Path file = program.working_directory / name;
    return FindExecutable(file.filename().native(), file.parent_path().native());
  }
  const auto path = program.environment.find("PATH");
  if (path == program.environment.end()) return std::nullopt;
  return FindExecutable(name, path->second);
}

}  // namespace

std::string DescribeImage(const PythonQuery& query) {
  return query.image.empty() ? "the job's image" : "the image " + query.image;
}

Result<ImagePython> FindFunctionPython(const PythonQuery& query, std::stop_token stop) {
  std::string too_old;
  for (const auto& name : NamesFor(query)) {
    const auto found = FindExecutable(name, query.search_path);
    if (!found) continue;
    KINETIC_ASSIGN_OR_RETURN(ImagePython python,
                             QueryInterpreter(*found, query, kFunctionHint, stop));
    if (IsNewEnough(python.version)) return python;
    if (too_old.empty()) too_old = fmt::format("{} is Python {}", found->native(), python.version);
  }
  if (!too_old.empty()) {
    return Fail(ErrorCode::kFailedPrecondition,
                fmt::format("the Python of {} is too old: {}", DescribeImage(query), too_old),
                std::string(kFunctionHint));
  }
  return Fail(ErrorCode::kNotFound, NoPythonIn(query), std::string(kFunctionHint));
}

Result<ImagePython> FindMatchingPython(const PythonQuery& query, std::stop_token stop) {
  std::optional<ImagePython> other;
  for (const auto& name : NamesFor(query)) {
    const auto found = FindExecutable(name, query.search_path);
    if (!found) continue;
    KINETIC_ASSIGN_OR_RETURN(ImagePython python,
                             QueryInterpreter(*found, query, HintFor(query, nullptr), stop));
    if (python.version == query.version) return python;
    if (!other) other = std::move(python);
  }
  const std::string packages = fmt::format("but the job's packages need Python {}", query.version);
  if (!other) {
    return Fail(ErrorCode::kFailedPrecondition, NoPythonIn(query) + ", " + packages,
                HintFor(query, nullptr));
  }
  return Fail(ErrorCode::kFailedPrecondition,
              fmt::format("{} has Python {} ({}), {}", DescribeImage(query), other->version,
                          other->path.native(), packages),
              HintFor(query, &*other));
}

std::optional<Path> FindProgramPython(const Program& program, const Path& environment) {
  if (program.calls_python) return Path(program.argv.at(0));
  for (const auto& word : program.argv) {
    const auto name = PythonIn(word);
    if (name) return FindPython(*name, program);
  }
  if (environment.empty()) return std::nullopt;
  return environment / "bin/python";
}

}  // namespace kinetic::runner
