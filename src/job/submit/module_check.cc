#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/process/subprocess.h"
#include "base/strings.h"
#include "job/submit/checks.h"

#include <algorithm>
#include <vector>

namespace kinetic::job {
namespace {

constexpr std::uint64_t kMaxModuleBytes = 16U << 20;

/// Prints one of: "syntax" with line, column, message and code; "names" with the names that the
/// module binds at top level; "unknown" if these cannot be determined. Imports only built-in
/// modules, so that it runs in a few milliseconds.
constexpr std::string_view kInspectScript = R"py(
import sys
path = sys.argv[1]
with open(path, 'rb') as f:
    source = f.read()
try:
    tree = compile(source, path, 'exec', 0x400, dont_inherit=True)
    compile(source, path, 'exec', dont_inherit=True)
except SyntaxError as e:
    code = (e.text or '').strip().replace('\n', ' ')
    print('syntax', e.lineno or 0, e.offset or 0, e.msg, code, sep='\n')
    sys.exit()
names = set()
certain = not any(w in source for w in (b'globals', b'exec', b'setattr', b'sys.modules', b'vars('))
def bind(target):
    kind = type(target).__name__
    if kind == 'Name':
        names.add(target.id)
    elif kind in ('Tuple', 'List'):
        for item in target.elts:
            bind(item)
    elif kind == 'Starred':
        bind(target.value)
def visit(body):
    global certain
    for node in body:
        kind = type(node).__name__
        if kind in ('FunctionDef', 'AsyncFunctionDef', 'ClassDef'):
            names.add(node.name)
        elif kind in ('Import', 'ImportFrom'):
            for alias in node.names:
                names.add(alias.asname or alias.name.split('.')[0])
        elif kind in ('Assign', 'AnnAssign', 'AugAssign'):
            for target in getattr(node, 'targets', None) or [node.target]:
                bind(target)
        elif kind not in ('Expr', 'Pass', 'If', 'Try', 'With', 'Assert', 'Raise'):
            certain = False
        for part in ('body', 'orelse', 'finalbody'):
            if kind in ('If', 'Try', 'With'):
                visit(getattr(node, part, []))
        for handler in getattr(node, 'handlers', []):
            visit(handler.body)
        for item in getattr(node, 'items', []) if kind == 'With' else []:
            if item.optional_vars:
                bind(item.optional_vars)
visit(tree.body)
if not certain or b':=' in source or names & {'*', '__getattr__'}:
    print('unknown')
else:
    print('names', *sorted(names), sep='\n')
)py";

constexpr std::string_view kFindScript = R"py(
import sys
from importlib.machinery import PathFinder
name = sys.argv[1]
found = name in sys.builtin_module_names or PathFinder.find_spec(name) is not None
print('found' if found else 'absent')
)py";

std::string_view FirstPart(std::string_view module) { return module.substr(0, module.find('.')); }

const bundle::SourceEntry* FindEntry(std::span<const bundle::SourceEntry> entries,
                                     std::string_view path) {
  const auto found = std::ranges::lower_bound(entries, path, {}, &bundle::SourceEntry::path);
  return found != entries.end() && found->path == path ? &*found : nullptr;
}

bool HasFolder(std::span<const bundle::SourceEntry> entries, const std::string& folder) {
  const auto found =
      std::ranges::lower_bound(entries, folder + "/", {}, &bundle::SourceEntry::path);
  return found != entries.end() && found->path.starts_with(folder + "/");
}

/// Runs Python code isolated from the caller's environment. Returns nullopt on failure.
std::optional<std::string> RunPython(const Path& python, std::string_view code,
                                     const std::string& argument, std::stop_token stop) {
  std::string output;
  Subprocess program;
  program.argv = {python.native(), "-I", "-c", std::string(code), argument};
  program.environment = {{"PYTHONUTF8", "1"}, {"LC_ALL", "C.UTF-8"}};
  program.on_stdout = [&](std::string_view piece) { output += piece; };
  const auto exit = Run(program, std::move(stop));
  if (!exit || !exit->Succeeded()) return std::nullopt;
  return output;
}

Status SyntaxError(const std::string& file, const std::vector<std::string_view>& lines) {
  const auto line = [&](std::size_t i) { return i < lines.size() ? lines[i] : ""; };
  std::string message =
      file + ":" + std::string(line(1)) + ":" + std::string(line(2)) + ": " + Printable(line(3));
  if (!line(4).empty()) message += ": " + Printable(line(4));
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

Status CheckNames(const std::string& file, const FunctionReference& function,
                  const std::vector<std::string_view>& lines) {
  const std::string name(FirstPart(function.callable));
  std::vector<std::string> names(lines.begin() + 1, lines.end());
  if (std::ranges::find(names, name) != names.end()) return {};
  std::string message = "function: " + file + " has no " + name;
  if (const auto nearest = Nearest(name, names)) message += "; did you mean " + *nearest + "?";
  std::erase_if(names, [](const std::string& known) { return known.starts_with('_'); });
  constexpr std::size_t kShown = 12;
  if (names.empty() || names.size() > kShown) {
    return Fail(ErrorCode::kInvalidArgument, std::move(message),
                "module:callable refers to a name that the module defines at its top level");
  }
  return Fail(ErrorCode::kInvalidArgument, std::move(message),
              file + " defines " + Join(names, ", "));
}

/// The key is the content, so that neither path nor modification time matters.
Path CheckMarker(const CodeChecker& checker, std::string_view source, const std::string& file,
                 const FunctionReference& function) {
  Sha256 hash;
  for (const std::string_view part : {std::string_view(checker.python.native()),
                                      std::string_view(file), std::string_view(function.callable)})
    hash.Update(part).Update(std::string_view("\0", 1));
  return checker.cache_dir / kCheckedModulesFolder / hash.Update(source).Finish().Hex();
}

}  // namespace

std::optional<std::string> FindModule(std::span<const bundle::SourceEntry> entries,
                                      std::string_view module) {
  std::string path(module);
  std::ranges::replace(path, '.', '/');
  for (const std::string_view prefix : {"", "src/"}) {
    for (const std::string_view suffix : {"/__init__.py", ".py"}) {
      std::string file = std::string(prefix) + path + std::string(suffix);
      if (FindEntry(entries, file) != nullptr) return file;
    }
  }
  return std::nullopt;
}

bool HasPackage(std::span<const bundle::SourceEntry> entries, std::string_view module) {
  const std::string first(FirstPart(module));
  return FindModule(entries, first).has_value() || HasFolder(entries, first) ||
         HasFolder(entries, "src/" + first);
}

Error MissingModule(std::span<const bundle::SourceEntry> entries, std::string_view module) {
  constexpr std::string_view kSuffix = ".py";
  const std::string file = std::string(FirstPart(module)) + std::string(kSuffix);
  std::vector<std::string> modules;
  std::string elsewhere;
  for (const auto& entry : entries) {
    if (!entry.path.ends_with(kSuffix)) continue;
    const std::size_t slash = entry.path.rfind('/');
    if (slash == std::string::npos) {
      modules.push_back(entry.path.substr(0, entry.path.size() - kSuffix.size()));
    } else if (entry.path.substr(slash + 1) == file && elsewhere.empty()) {
      elsewhere = entry.path.substr(0, slash);
    }
  }
  Error error{ErrorCode::kInvalidArgument,
              "function: module " + std::string(module) +
                  " is neither in the bundle nor in the environment",
              "list the bundle with 'kinetic bundle ls'",
              {}};
  if (const auto nearest = Nearest(FirstPart(module), modules)) {
    error.message += "; did you mean " + *nearest + "?";
  } else if (!elsewhere.empty()) {
    error.hint = file + " is in " + elsewhere +
                 "; to run jobs in that folder, set bundle: {root: " + elsewhere + "}";
  }
  return error;
}

Status CheckModule(const CodeChecker& checker, const Path& root, const std::string& file,
                   const FunctionReference& function, std::stop_token stop) {
  const auto source = ReadRegularFile(checker.fs, root / file, kMaxModuleBytes);
  if (!source) return {};  // packaging reports the problem with the file
  const Path mark = CheckMarker(checker, *source, file, function);
  if (checker.fs.Lstat(mark)) return {};
  const auto answer =
      RunPython(checker.python, kInspectScript, (root / file).native(), std::move(stop));
  if (!answer) return {};
  const auto lines = Split(Trim(*answer), '\n');
  if (lines[0] == "syntax") return SyntaxError(file, lines);
  if (lines[0] == "names") KINETIC_RETURN_IF_ERROR(CheckNames(file, function, lines));
  // Write errors are ignored, because a missing entry only makes the next check slower.
  if (MakeDirectories(checker.fs, mark.parent_path())) {
    (void)checker.fs.Open(mark, OpenMode::kReadWrite, 0644);
  }
  return {};
}

bool IsInstalled(const Path& python, std::string_view module, std::stop_token stop) {
  const auto answer =
      RunPython(python, kFindScript, std::string(FirstPart(module)), std::move(stop));
  return !answer || Trim(*answer) != "absent";
}

}  // namespace kinetic::job
