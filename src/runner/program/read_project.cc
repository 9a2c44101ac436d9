#include "runner/program/read_project.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "json/document.h"
#include "json/parse.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::uint64_t kMaxFileBytes = 4U << 20;

const Value* At(const Value& value, std::initializer_list<std::string_view> keys) {
  const Value* found = &value;
  for (const auto key : keys) {
    if (found != nullptr) found = found->Find(key);
  }
  return found;
}

std::string TextAt(const Value& value, std::initializer_list<std::string_view> keys) {
  const Value* found = At(value, keys);
  return found != nullptr && found->AsString() != nullptr ? *found->AsString() : "";
}

/// Returns a list of strings, or one string.
std::vector<std::string> TextsAt(const Value& value, std::initializer_list<std::string_view> keys) {
  const Value* found = At(value, keys);
  if (found == nullptr) return {};
  if (const auto* text = found->AsString()) return {*text};
  std::vector<std::string> texts;
  if (found->AsList() == nullptr) return {};
  for (const auto& item : *found->AsList()) {
    if (item.AsString() != nullptr) texts.push_back(*item.AsString());
  }
  return texts;
}

constexpr std::string_view kAlphanumeric =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

bool ContainsOnly(std::string_view text, std::string_view others) {
  const auto allowed = std::string(kAlphanumeric) + std::string(others);
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool IsName(std::string_view text) {
  return ContainsOnly(text, "-_.") && ContainsOnly({&text.front(), 1}, "") &&
         ContainsOnly({&text.back(), 1}, "");
}

/// Reads the [project] table.
class ProjectReader {
 public:
  explicit ProjectReader(const Value& table) : reader_(table, "pyproject.toml: project") {}

  Result<Project> Read() {
    Project project;
    project.name = reader_.String("name");
    if (!IsName(project.name)) reader_.Reject("name", "is not a valid package name");
    project.version = Version();
    if (const auto python = reader_.OptionalString("requires-python")) {
      project.requirements = "Requires-Python: " + Line("requires-python", *python) + "\n";
    }
    for (const auto& item : reader_.List("dependencies")) {
      project.requirements += "Requires-Dist: " + Line("dependencies", item) + "\n";
    }
    project.entry_points = Group("console_scripts", "scripts", reader_.Map("scripts")) +
                           Group("gui_scripts", "gui-scripts", reader_.Map("gui-scripts"));
    for (const auto& [name, group] : reader_.Map("entry-points")) {
      if (group.AsMap() == nullptr) reader_.Reject("entry-points", "expected tables");
      if (group.AsMap() != nullptr)
        project.entry_points += Group(name, "entry-points", *group.AsMap());
    }
    KINETIC_RETURN_IF_ERROR(reader_.Finish());
    return project;
  }

 private:
  std::string Version() {
    if (const auto version = reader_.OptionalString("version")) {
      if (!IsVersion(*version)) reader_.Reject("version", "is not a valid version");
      return *version;
    }
    const auto& dynamic = reader_.List("dynamic");
    if (std::ranges::find(dynamic, Value("version")) == dynamic.end()) {
      reader_.Reject("version", "is missing and not in 'dynamic'");
    }
    return {};
  }

  std::string Line(std::string_view key, const Value& value) {
    const auto* text = value.AsString();
    if (text == nullptr || std::ranges::any_of(*text, [](unsigned char c) { return c < ' '; })) {
      reader_.Reject(key, "expected single-line strings");
      return {};
    }
    return *text;
  }

  std::string Group(const std::string& name, std::string_view key, const Value::Map& entries) {
    if (entries.empty()) return {};
    std::string text = "[" + Line(key, name) + "]\n";
    for (const auto& [entry, object] : entries) {
      text += Line(key, entry) + " = " + Line(key, object) + "\n";
    }
    return text + "\n";
  }

  json::ObjectReader reader_;
};

/// Finds folders of modules, and versions that build backends read without running code.
class SourceReader {
 public:
  SourceReader(FileSystem& fs, const Value& document, Project& project)
      : fs_(fs), document_(document), project_(project) {}

  void FindSources() {
    std::vector<std::string> names =
        TextsAt(document_, {"tool", "setuptools", "packages", "find", "where"});
    names.push_back(TextAt(document_, {"tool", "setuptools", "package-dir", ""}));
    for (const auto& package :
         TextsAt(document_, {"tool", "hatch", "build", "targets", "wheel", "packages"})) {
      names.push_back(Path(package).parent_path().native());
    }
    std::erase(names, "");
    names.insert(names.end(), {"src", ""});
    for (const auto& name : names) AddSource((project_.folder / name / "").lexically_normal());
  }

  void FindVersion() {
    std::string version = StatedVersion();
    if (version.starts_with('v')) version.erase(0, 1);
    if (IsVersion(version)) project_.version = std::move(version);
  }

 private:
  void AddSource(Path path) {
    path = path.parent_path();  // without the last '/'
    const auto status = fs_.Lstat(path);
    if (!status || status->type != FileType::kDirectory) return;
    auto& sources = project_.sources;
    if (std::ranges::find(sources, path) == sources.end()) sources.push_back(std::move(path));
  }

  std::string StatedVersion() const {
    if (auto version = TextAt(document_, {"tool", "poetry", "version"}); !version.empty())
      return version;
    const Value* const setuptools = At(document_, {"tool", "setuptools", "dynamic", "version"});
    if (setuptools != nullptr) {
      const auto files = TextsAt(*setuptools, {"file"});
      if (files.size() == 1) return std::string(Trim(Read(project_.folder / files.front())));
      const std::string attribute = TextAt(*setuptools, {"attr"});
      const auto dot = attribute.rfind('.');
      if (dot == std::string::npos) return {};
      return InModule(attribute.substr(0, dot), attribute.substr(dot + 1));
    }
    for (const std::string_view tool : {"hatch", "pdm"}) {
      const Value* const version = At(document_, {"tool", tool, "version"});
      const std::string path = version == nullptr ? "" : TextAt(*version, {"path"});
      if (!path.empty() && version->Find("pattern") == nullptr)
        return InFile(project_.folder / path, {"__version__", "VERSION"});
    }
    if (!TextAt(document_, {"build-system", "build-backend"}).starts_with("flit")) return {};
    const std::string module = TextAt(document_, {"tool", "flit", "module", "name"});
    return InModule(module.empty() ? project_.name : module, "__version__");
  }

  std::string InModule(std::string module, std::string_view attribute) const {
    std::ranges::replace(module, '.', '/');
    std::ranges::replace(module, '-', '_');
    for (const auto& source : project_.sources) {
      for (const char* const end : {".py", "/__init__.py"}) {
        auto version = InFile(source / (module + end), {attribute});
        if (!version.empty()) return version;
      }
    }
    return {};
  }

  /// Returns the string that a line of Python assigns: `__version__: str = "1.2"`.
  std::string InFile(const Path& file, std::initializer_list<std::string_view> names) const {
    const std::string text = Read(file);
    for (std::string_view line : Split(text, '\n')) {
      const auto equals = line.find('=');
      if (equals == std::string_view::npos) continue;
      const std::string_view name = Trim(line.substr(0, std::min(equals, line.find(':'))));
      const std::string_view value = Trim(line.substr(equals + 1));
      const bool is_string = value.starts_with('"') || value.starts_with('\'');
      if (!is_string || line.starts_with(' ') || std::ranges::find(names, name) == names.end())
        continue;
      return std::string(value.substr(1, value.find(value.front(), 1) - 1));
    }
    return {};
  }

  std::string Read(const Path& file) const {
    return ReadRegularFile(fs_, file, kMaxFileBytes).value_or("");
  }

  FileSystem& fs_;
  const Value& document_;
  Project& project_;
};

}  // namespace

bool IsVersion(std::string_view text) { return ContainsOnly(text, ".!+-_"); }

Result<std::optional<Project>> ReadProject(FileSystem& fs, const Path& folder) {
  const auto text = ReadRegularFile(fs, folder / "pyproject.toml", kMaxFileBytes);
  const auto document = text ? json::ParseToml(*text) : Result<Value>(Value());
  const Value* const table = document ? document->Find("project") : nullptr;
  if (table == nullptr) return std::optional<Project>();
  KINETIC_ASSIGN_OR_RETURN(Project project, ProjectReader(*table).Read());
  project.folder = folder;
  SourceReader sources(fs, *document, project);
  sources.FindSources();
  if (project.version.empty()) sources.FindVersion();
  return std::optional(std::move(project));
}

}  // namespace kinetic::runner
