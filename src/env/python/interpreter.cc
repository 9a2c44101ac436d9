#include "env/python/interpreter.h"

#include "kinetic/try.h"

#include "base/process/subprocess.h"
#include "base/strings.h"
#include "env/python/version.h"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::uint64_t kMaxVersionFileBytes = 1ULL << 20;
constexpr std::array<std::int64_t, 2> kOldestVersion{3, 9};  // that jobs can use
constexpr std::string_view kProbe =
    "import sys; print('%d.%d.%d' % sys.version_info[:3], "
    "getattr(getattr(sys, 'implementation', None), 'name', '?'))";

bool IsFile(const Path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// Resolves an interpreter of a virtual environment to its base interpreter.
Path BaseInterpreter(const Path& path) {
  std::error_code failed;
  if (!IsFile(path.parent_path().parent_path() / "pyvenv.cfg")) return path;
  Path real = std::filesystem::canonical(path, failed);
  return failed ? path : real;
}

bool IsTooOld(const std::string& version) {
  return std::ranges::lexicographical_compare(VersionNumbers(version), kOldestVersion);
}

bool MatchesVersion(std::string_view version, const std::string& candidate) {
  return candidate == version || candidate.starts_with(std::string(version) + ".");
}

void SortNewestFirst(std::vector<Interpreter>& found) {
  std::sort(found.begin(), found.end(), [](const Interpreter& a, const Interpreter& b) {
    const auto x = VersionNumbers(a.version);
    const auto y = VersionNumbers(b.version);
    return x != y ? x > y : a.path < b.path;
  });
}

class PythonFinder {
 public:
  PythonFinder(const ToolOptions& tools, std::stop_token stop)
      : tools_(tools), stop_(std::move(stop)), cache_(tools) {
    for (const auto folder : Split(tools.search_path, ':')) {
      if (!folder.empty()) folders_.emplace_back(folder);
    }
  }

  std::optional<Interpreter> Default() {
    for (const Path& folder : folders_) {
      if (const auto root = PyenvRootOfShims(folder)) {
        if (auto chosen = SelectedByPyenv(*root)) return chosen;
        continue;
      }
      for (const std::string_view name : {"python3", "python"}) {
        if (auto found = Probe(folder / name)) return found;
      }
    }
    return std::nullopt;
  }

  std::optional<Interpreter> ByVersion(const std::string& version) {
    if (auto own = Default(); own && MatchesVersion(version, own->version)) return own;
    const auto parts = Split(version, '.');
    const std::string name =
        "python" + std::string(parts[0]) + (parts.size() > 1 ? "." + std::string(parts[1]) : "");
    for (const std::string& one : {name, std::string("python3"), std::string("python")}) {
      for (const Path& folder : folders_) {
        if (PyenvRootOfShims(folder)) continue;
        auto found = Probe(folder / one);
        if (found && MatchesVersion(version, found->version)) return found;
      }
      if (one != name) continue;
      for (auto& managed : Managed()) {
        if (MatchesVersion(version, managed.version)) return std::move(managed);
      }
    }
    return std::nullopt;
  }

  /// Returns the first interpreter that was passed over because jobs cannot use its version.
  const std::optional<Interpreter>& too_old() const { return too_old_; }

  std::vector<Interpreter> All() {
    std::vector<Interpreter> all;
    for (const Path& folder : folders_) {
      const auto entries = tools_.fs->ReadDirectory(folder);
      if (!entries || PyenvRootOfShims(folder)) continue;
      for (const auto& entry : *entries) {
        if (!IsPythonName(entry.name)) continue;
        if (auto found = Probe(folder / entry.name)) all.push_back(*std::move(found));
      }
    }
    for (auto& managed : Managed()) all.push_back(std::move(managed));
    SortNewestFirst(all);
    all.erase(std::unique(all.begin(), all.end(),
                          [](const auto& a, const auto& b) { return a.version == b.version; }),
              all.end());
    return all;
  }

 private:
  static bool IsPythonName(const std::string& name) {
    if (!name.starts_with("python3")) return false;
    const std::string_view rest = std::string_view(name).substr(7);
    return rest.empty() || (rest.size() > 1 && rest[0] == '.' && ParseInt(rest.substr(1)));
  }

  /// Returns pyenv's folder if `folder` contains its shims, which are skipped.
  std::optional<Path> PyenvRootOfShims(const Path& folder) const {
    std::error_code ignored;
    const Path normal = (folder / "").lexically_normal().parent_path();
    Path root = normal.parent_path();
    if (normal.filename() != "shims" ||
        !std::filesystem::is_directory(root / "versions", ignored)) {
      return std::nullopt;
    }
    return root;
  }

  std::string Variable(const std::string& name) const {
    const auto found = tools_.environment.find(name);
    return found != tools_.environment.end() ? found->second : std::string();
  }

  std::optional<Interpreter> SelectedByPyenv(const Path& root) {
    std::string chosen = Variable("PYENV_VERSION");
    if (chosen.empty()) {
      if (auto text = ReadRegularFile(*tools_.fs, root / "version", kMaxVersionFileBytes))
        chosen = *text;
    }
    std::replace(chosen.begin(), chosen.end(), '\n', ':');
    for (const auto name : Split(chosen, ':')) {
      if (Trim(name).empty() || Trim(name) == "system") continue;
      if (auto found = Probe(root / "versions" / Trim(name) / "bin" / "python3")) return found;
    }
    return std::nullopt;
  }

  /// Returns the versions of pyenv and uv, from the names of their folders.
  std::vector<Interpreter> Managed() const {
    std::set<Path> pyenv;
    std::set<Path> uv;
    const Path home = Variable("HOME");
    for (const Path& folder : folders_) {
      if (const auto root = PyenvRootOfShims(folder)) pyenv.insert(*root / "versions");
    }
    if (const Path root = Variable("PYENV_ROOT"); !root.empty()) pyenv.insert(root / "versions");
    if (const Path root = Variable("UV_PYTHON_INSTALL_DIR"); !root.empty()) uv.insert(root);
    if (const Path data = Variable("XDG_DATA_HOME"); !data.empty()) uv.insert(data / "uv/python");
    if (!home.empty()) {
      pyenv.insert(home / ".pyenv/versions");
      uv.insert(home / ".local/share/uv/python");
    }
    std::vector<Interpreter> found;
    for (const Path& folder : pyenv) AddNamed(folder, "", found);
    for (const Path& folder : uv) AddNamed(folder, "cpython-", found);
    SortNewestFirst(found);
    return found;
  }

  void AddNamed(const Path& folder, std::string_view prefix,
                std::vector<Interpreter>& found) const {
    const auto entries = tools_.fs->ReadDirectory(folder);
    if (!entries) return;
    for (const auto& entry : *entries) {
      std::string_view name = entry.name;
      if (!name.starts_with(prefix)) continue;
      name.remove_prefix(prefix.size());
      const std::string version(name.substr(0, prefix.empty() ? name.size() : name.find('-')));
      if (VersionNumbers(version).size() != 3 || IsTooOld(version)) continue;
      Interpreter interpreter{{}, version};
      interpreter.path = folder / entry.name / "bin" / ("python" + interpreter.Minor());
      if (IsFile(interpreter.path)) found.push_back(std::move(interpreter));
    }
  }

  std::optional<Interpreter> Probe(const Path& candidate) {
    if (!IsFile(candidate) || stop_.stop_requested()) return std::nullopt;
    const Path path = BaseInterpreter(candidate);
    const std::string identity = cache_.Identity(path);
    if (std::string version = cache_.Find(path, identity); !version.empty()) {
      return Usable({path, version});
    }
    std::string output;
    Subprocess probe;
    probe.argv = {path.native(), "-I", "-S", "-c", std::string(kProbe)};
    probe.environment = tools_.environment;
    probe.search_path = tools_.search_path;
    probe.on_stdout = [&](std::string_view bytes) {
      if (output.size() < 1024) output += bytes;
    };
    const auto ended = Run(probe, stop_);
    if (!ended || !ended->Succeeded()) return std::nullopt;
    const auto words = Split(Trim(output), ' ');
    if (words.size() != 2 || words[1] != "cpython" || !words[0].starts_with("3.")) {
      return std::nullopt;
    }
    cache_.Store(path, identity, std::string(words[0]));
    return Usable({path, std::string(words[0])});
  }

  /// Returns the interpreter unless it is too old.
  std::optional<Interpreter> Usable(Interpreter found) {
    if (!IsTooOld(found.version)) return found;
    if (!too_old_) too_old_ = std::move(found);
    return std::nullopt;
  }

  const ToolOptions& tools_;
  std::stop_token stop_;
  PythonVersionCache cache_;
  std::vector<Path> folders_;
  std::optional<Interpreter> too_old_;
};

Failure NotFoundError(const std::string& version, PythonFinder& finder, const ToolOptions& tools) {
  const std::vector<Interpreter> installed = finder.All();
  if (version.empty() && finder.too_old()) {
    return Fail(ErrorCode::kNotFound,
                "the Python on PATH is too old: " + Printable(finder.too_old()->path.native()) +
                    " is Python " + finder.too_old()->version + ", expected 3.9 or newer",
                "install a newer Python, for example with 'uv python install 3.12', and put it on "
                "PATH, or set `python: \"3.12\"`");
  }
  std::vector<std::string> names;
  names.reserve(installed.size());
  for (const auto& one : installed) names.push_back(one.version);
  const std::string found =
      names.empty() ? "no Python 3 is installed" : "installed: " + Join(names, ", ");
  if (version.empty()) {
    return Fail(ErrorCode::kNotFound, "no python3 on PATH; " + found,
                "install it, for example with 'apt install python3 python3-venv'");
  }
  const bool uv = FindExecutable("uv", tools.search_path).has_value();
  return Fail(ErrorCode::kNotFound, "Python " + version + " is not installed; " + found,
              (uv ? "install it with 'uv python install " + version + "'"
                  : "install it with pyenv, uv or your system's packages") +
                  ", or set another version with `python:` in the job file");
}

}  // namespace

std::string Interpreter::Minor() const { return MinorVersion(version); }

std::string HostPlatform() {
  struct utsname name{};
  if (::uname(&name) != 0) return "linux-x86_64";
  return ToLower(static_cast<const char*>(name.sysname)) + "-" +
         static_cast<const char*>(name.machine);
}

Result<Interpreter> FindPython(std::string_view version, const ToolOptions& tools,
                               std::stop_token stop) {
  const std::string wanted(version);
  PythonFinder finder(tools, stop);
  auto found = wanted.empty() ? finder.Default() : finder.ByVersion(wanted);
  if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped looking for Python");
  if (!found) return NotFoundError(wanted, finder, tools);
  return *std::move(found);
}

Result<Interpreter> FindAnyPython(const ToolOptions& tools, std::stop_token stop) {
  auto found = FindPython("", tools, stop);
  if (found || found.error().code != ErrorCode::kNotFound) return found;
  auto installed = ListPythons(tools, std::move(stop));
  if (installed.empty()) return found;
  return std::move(installed.front());
}

std::vector<Interpreter> ListPythons(const ToolOptions& tools, std::stop_token stop) {
  return PythonFinder(tools, std::move(stop)).All();
}

}  // namespace kinetic::env
