#include "kinetic/try.h"

#include "base/hash/digest.h"
#include "base/process/subprocess.h"
#include "base/strings.h"
#include "job/submit/checks.h"
#include "jobspec/array.h"
#include "jobspec/diagnostics.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::job {
namespace {

/// More names than this are not checked, as they might exceed the size of a command line.
constexpr std::size_t kMaxNames = 1000;

/// Argument sets of an array with more combinations of names are not checked, as each needs a program.
constexpr std::size_t kMaxForms = 64;

/// A call of the function of a job.
struct CheckedCall {
  const JobSpec& spec;
  const Arguments& args;
  std::optional<std::uint32_t> task = {};  ///< of an array with argument sets

  /// Returns the position of an argument, or of the function or the argument set if it is empty.
  std::string Key(std::string_view argument = {}) const {
    if (task) return jobspec::TaskKey(spec, *task, argument);
    return jobspec::KeyWithPosition(
        spec, argument.empty() ? "function" : "args." + std::string(argument));
  }
};

/// Prints one of: "syntax" with line, column, message and code; "names" with the names that the
/// module binds at top level, those of imported modules marked; "unknown" if these cannot be
/// determined; "call" with the line and the signature of the function, its parameters, and the
/// arguments that do not fit it. Only the latter imports a module that is not built in, so that a
/// check takes a few milliseconds.
///
/// Arguments: the file's name, the function, the number of positional arguments, the names of the
/// others. The source is the standard input.
constexpr std::string_view kInspectScript = R"py(
import sys
path, function, positional, *named = sys.argv[1:]
positional = int(positional)
source = sys.stdin.buffer.read()
try:
    tree = compile(source, path, 'exec', 0x400, dont_inherit=True)
    compile(source, path, 'exec', dont_inherit=True)
except SyntaxError as e:
    code = (e.text or '').strip().replace('\n', ' ')
    print('syntax', e.lineno or 0, e.offset or 0, e.msg, code, sep='\n')
    sys.exit()
bound, modules = [], []
certain = not any(w in source for w in (b'globals', b'exec', b'setattr', b'sys.modules', b'vars('))
def bind(target):
    kind = type(target).__name__
    if kind == 'Name':
        bound.append(target.id)
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
            bound.append(node.name)
        elif kind in ('Import', 'ImportFrom'):
            for alias in node.names:
                (modules if kind == 'Import' else bound).append(alias.asname or alias.name.split('.')[0])
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
def misfits(a):
    """Returns 'unknown NAME' for each name that is not a parameter, 'positional NAME' for each that cannot be
    passed by name, or why the call fails otherwise."""
    words = [p.arg for p in a.args + a.kwonlyargs]
    unnamed = [p.arg for p in a.posonlyargs]
    unknown = [] if a.kwarg else [('positional ' if name in unnamed else 'unknown ') + name
                                  for name in named if name not in words]
    if unknown:
        return unknown
    ordered = [p.arg for p in a.posonlyargs + a.args]
    if positional > len(ordered) and not a.vararg:
        return ['takes at most %d argument%s, but the job has %d' % (
            len(ordered), 's'[len(ordered) == 1:], positional)]
    required = ordered[:len(ordered) - len(a.defaults)][positional:]
    required += [p.arg for p, value in zip(a.kwonlyargs, a.kw_defaults) if value is None]
    missing = [name for name in required if name not in named or name not in words]
    return ['requires the argument%s %s' % ('s'[len(missing) == 1:], ', '.join(missing))] if missing else []
def keeps_parameters(decorator):
    """Returns whether a decorator is `kinetic.run`, which calls the function itself in a job."""
    call = decorator.func if type(decorator).__name__ == 'Call' else decorator
    return (type(call).__name__ == 'Attribute' and call.attr == 'run' and type(call.value).__name__ == 'Name'
            and call.value.id == 'kinetic' and 'kinetic' in modules and 'kinetic' not in bound)
def check_call():
    found = [node for node in tree.body if getattr(node, 'name', None) == function]
    if len(found) != 1 or (bound + modules).count(function) != 1:
        return False
    if not all(map(keeps_parameters, getattr(found[0], 'decorator_list', []))):
        return False
    if type(found[0]).__name__ not in ('FunctionDef', 'AsyncFunctionDef'):
        return False
    a = found[0].args
    problems = misfits(a)
    if not problems:
        return False
    import ast
    print('call', found[0].lineno, '%s(%s)' % (function, ast.unparse(a)),
          ' '.join(p.arg for p in a.args + a.kwonlyargs), *problems, sep='\n')
    return True
visit(tree.body)
names = set(bound)
if not certain or b':=' in source or names & {'*', '__getattr__'}:
    print('unknown')
elif not check_call():
    print('names', *sorted(names), *['import ' + name for name in modules if name not in names], sep='\n')
)py";

using Words = std::vector<std::string>;
using Lines = std::vector<std::string_view>;

std::string_view LineAt(const Lines& lines, std::size_t i) {
  return i < lines.size() ? lines[i] : "";
}

/// Runs Python code isolated from the caller's environment. Returns nullopt on failure.
std::optional<std::string> RunPython(const Path& python, std::string_view code,
                                     const Words& arguments, std::stop_token stop,
                                     std::string input = {}) {
  std::string output;
  Subprocess program;
  program.argv = {python.native(), "-I", "-c", std::string(code)};
  program.argv.insert(program.argv.end(), arguments.begin(), arguments.end());
  program.input = std::move(input);
  program.environment = {{"PYTHONUTF8", "1"}, {"LC_ALL", "C.UTF-8"}};
  program.on_stdout = [&](std::string_view piece) { output += piece; };
  const auto exit = Run(program, std::move(stop));
  if (!exit || !exit->Succeeded()) return std::nullopt;
  return output;
}

constexpr std::string_view kFindScript = R"py(
import sys
from importlib.machinery import PathFinder
name = sys.argv[1]
found = name in sys.builtin_module_names or PathFinder.find_spec(name) is not None
print('found' if found else 'absent')
)py";

Status SyntaxError(const std::string& file, const Lines& lines) {
  std::string message = file + ":" + std::string(LineAt(lines, 1)) + ":" +
                        std::string(LineAt(lines, 2)) + ": " + Printable(LineAt(lines, 3));
  if (!LineAt(lines, 4).empty()) message += ": " + Printable(LineAt(lines, 4));
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

Status CheckNames(const std::string& file, const FunctionReference& function, const Lines& lines) {
  const std::string name = function.callable.substr(0, function.callable.find('.'));
  std::vector<std::string> names(lines.begin() + 1, lines.end());
  constexpr std::string_view kImport = "import ";
  if (std::ranges::find(names, std::string(kImport) + name) != names.end()) return {};
  std::erase_if(names, [&](const std::string& known) { return known.starts_with(kImport); });
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

/// Suggests the parameter that a misspelt argument means: one without a value, or one whose value it
/// was to replace, as `--arg` does.
std::string MeantParameter(const std::string& argument, std::string_view names,
                           const Arguments& args) {
  const auto split = Split(names, ' ');
  const Words all(split.begin(), split.end());
  Words unused = all;
  std::erase_if(unused, [&](const std::string& name) {
    return std::ranges::any_of(args.named, [&](const auto& given) { return given.first == name; });
  });
  std::string meant = jobspec::DidYouMean(argument, unused);
  return meant.empty() ? jobspec::DidYouMean(argument, all) : meant;
}

/// Returns the message for one line of the inspection.
std::string CallProblem(const CheckedCall& call, std::string_view line,
                        std::string_view parameters) {
  constexpr std::string_view kUnknown = "unknown ";
  constexpr std::string_view kPositional = "positional ";
  const std::string& name = call.spec.function->callable;
  const bool is_unknown = line.starts_with(kUnknown);
  if (!is_unknown && !line.starts_with(kPositional))
    return call.Key() + ": " + name + " " + std::string(line);
  const std::string argument(line.substr(line.find(' ') + 1));
  const std::string key = call.Key(argument);
  if (is_unknown)
    return key + ": " + name + " has no parameter " + Printable(argument) +
           MeantParameter(argument, parameters, call.args);
  return key + ": " + name + " takes " + Printable(argument) +
         " by position only; pass all arguments as a list, such as --set 'args=[1, 2]'";
}

/// Reports the arguments that do not fit the function's signature, each with its location in the
/// job file.
Status CheckCall(const std::string& file, const CheckedCall& call, const Lines& lines) {
  constexpr std::size_t kProblems = 4;
  Words problems;
  for (std::size_t i = kProblems; i < lines.size(); ++i)
    problems.push_back(CallProblem(call, lines[i], LineAt(lines, 3)));
  return Failure(Error{
      ErrorCode::kInvalidArgument,
      Join(problems, "\n"),
      file + ":" + std::string(LineAt(lines, 1)) + ": def " + Printable(LineAt(lines, 2)),
      {}}.With("errors", std::to_string(problems.size())));
}

/// Returns the arguments of the inspection, or nullopt if they are not checked.
std::optional<Words> InspectionArguments(const std::string& file, const CheckedCall& call) {
  Words words{file, call.spec.function->callable, std::to_string(call.args.positional.size())};
  if (call.args.named.size() > kMaxNames) return std::nullopt;
  for (const auto& named : call.args.named) {
    if (named.first.find_first_of(std::string_view("\0\n\r", 3)) != std::string::npos)
      return std::nullopt;
    words.push_back(named.first);
  }
  return words;
}

/// The key is the content, so that neither path nor modification time matters.
Path CheckMarker(const CodeChecker& checker, std::string_view source, const std::string& file,
                 const Words& arguments) {
  Sha256 hash;
  const auto add = [&](std::string_view part) {
    hash.Update(part).Update(std::string_view("\0", 1));
  };
  add(checker.python.native());
  add(file);
  for (std::size_t i = 1; i < arguments.size(); ++i) add(arguments[i]);
  return checker.cache_dir / kCheckedModulesFolder / hash.Update(source).Finish().Hex();
}

/// Write errors are ignored, because a missing entry only makes the next check slower.
void MarkAsChecked(const CodeChecker& checker, const Path& mark) {
  if (MakeDirectories(checker.fs, mark.parent_path()))
    (void)checker.fs.Open(mark, OpenMode::kReadWrite, 0644);
}

Status CheckFunction(const CodeChecker& checker, const std::string& source, const std::string& file,
                     const CheckedCall& call, const std::stop_token& stop) {
  const auto arguments = InspectionArguments(file, call);
  if (!arguments) return {};
  const Path mark = CheckMarker(checker, source, file, *arguments);
  if (checker.fs.Lstat(mark)) return {};
  const auto answer = RunPython(checker.python, kInspectScript, *arguments, stop, source);
  if (!answer) return {};
  const auto lines = Split(Trim(*answer), '\n');
  if (lines[0] == "syntax") return SyntaxError(file, lines);
  if (lines[0] == "call") return CheckCall(file, call, lines);
  if (lines[0] == "names") KINETIC_RETURN_IF_ERROR(CheckNames(file, *call.spec.function, lines));
  MarkAsChecked(checker, mark);
  return {};
}

/// Checks the first task of each combination of names.
Status CheckTasks(const CodeChecker& checker, const std::string& source, const std::string& file,
                  const JobSpec& spec, const Value::List& sets, const std::stop_token& stop) {
  std::set<Words> checked;
  for (std::uint32_t task = 0; task < sets.size() && checked.size() < kMaxForms; ++task) {
    if (!checked.insert(jobspec::FormOf(sets[task])).second) continue;
    KINETIC_ASSIGN_OR_RETURN(const Arguments args, jobspec::ArgumentsOfTask(spec, task));
    KINETIC_RETURN_IF_ERROR(CheckFunction(checker, source, file, {spec, args, task}, stop));
  }
  return {};
}

}  // namespace

Status CheckSyntax(const CodeChecker& checker, const std::string& source, const std::string& file,
                   std::stop_token stop) {
  const Words arguments{file, "", "0"};
  const Path mark = CheckMarker(checker, source, file, arguments);
  if (checker.fs.Lstat(mark)) return {};
  const auto answer = RunPython(checker.python, kInspectScript, arguments, std::move(stop), source);
  if (!answer) return {};
  const auto lines = Split(Trim(*answer), '\n');
  if (lines[0] == "syntax") return SyntaxError(file, lines);
  MarkAsChecked(checker, mark);
  return {};
}

Status CheckModule(const CodeChecker& checker, const std::string& source, const std::string& file,
                   const JobSpec& spec, std::stop_token stop) {
  const Value::List* sets = spec.array ? spec.array->over.AsList() : nullptr;
  if (sets != nullptr) return CheckTasks(checker, source, file, spec, *sets, stop);
  return CheckFunction(checker, source, file, {spec, spec.args}, stop);
}

bool IsInstalled(const Path& python, std::string_view module, std::stop_token stop) {
  const std::string package(module.substr(0, module.find('.')));
  const auto answer = RunPython(python, kFindScript, {package}, std::move(stop));
  return !answer || Trim(*answer) != "absent";
}

Status CheckInstalled(const JobEnvironment& environment, const JobSpec& spec,
                      std::span<const bundle::SourceEntry> entries, std::stop_token stop) {
  const auto& ready = environment.ready;
  if (!ready || ready->tree) return {};
  const std::string& module = spec.function->module;
  if (IsInstalled(ready->python, module, std::move(stop))) return {};
  return AtFunction(spec, Failure(MissingModule(entries, module)));
}

Status AtFunction(const JobSpec& spec, Status status) {
  if (status) return status;
  return Failure(jobspec::WithKeyPosition(spec, "function", std::move(status).error()));
}

}  // namespace kinetic::job
