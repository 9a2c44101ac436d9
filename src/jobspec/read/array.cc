#include "jobspec/array.h"

#include "base/strings.h"
#include "jobspec/read/axis.h"
#include "jobspec/read/context.h"
#include "jobspec/schema/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

namespace kinetic::jobspec {
namespace {

using json::YamlNode;

constexpr const char* kOverKey = "array.over";
constexpr std::array<std::string_view, 3> kSetFiles{"$json", "$jsonl", "$csv"};

/// Returns about as many bytes as the value has in JSON, without the content of arrays, which is not
/// part of the arguments.
std::uint64_t JsonBytes(const Value& value) {
  constexpr std::uint64_t kScalarBytes = 4;
  if (const auto* text = value.AsString()) return text->size() + 2;
  std::uint64_t bytes = kScalarBytes;
  if (const auto* list = value.AsList()) {
    for (const Value& item : *list) bytes += JsonBytes(item) + 1;
  }
  if (const auto* map = value.AsMap()) {
    for (const auto& [key, member] : *map) bytes += key.size() + JsonBytes(member) + 4;
  }
  return bytes;
}

std::uint64_t JsonBytes(const Arguments& args) {
  return JsonBytes(Value(args.positional)) + JsonBytes(Value(args.named));
}

/// One name of a grid with its values.
struct Axis {
  std::string name;
  Value::List values;
};

class TasksReader {
 public:
  TasksReader(ReadContext& context, JobSpec& spec)
      : context_(context), spec_(spec), reader_(context) {}

  /// Sets `over` and `count` of the array.
  void Read(const YamlNode& over) {
    const bool is_reference = over.kind == YamlNode::Kind::kMap && over.members.size() == 1 &&
                              over.members[0].key.text.starts_with('$');
    Value::List sets;
    if (over.kind == YamlNode::Kind::kList) {
      sets = ReadList(over);
    } else if (is_reference) {
      sets = ReadFile(over.members[0].key, over.members[0].value);
    } else if (over.kind == YamlNode::Kind::kMap) {
      sets = ReadGrid(over);
    }
    spec_.array->count = static_cast<std::uint32_t>(sets.size());
    spec_.array->over = Value(std::move(sets));
  }

 private:
  void Reject(const YamlNode& at, const std::string& where, const std::string& message) {
    context_.diagnostics.Add(at, where + ": " + message);
  }

  /// Checks the number of argument sets in a list or a file.
  bool CheckCount(const YamlNode& at, std::size_t count, const std::string& source) {
    if (count >= 1 && count <= kMaxTasks) return true;
    Reject(at, kOverKey,
           fmt::format("{} has {} argument sets, expected 1 to {}", source, count, kMaxTasks));
    return false;
  }

  /// Checks the size of all arguments before they are copied.
  bool CheckSize(const YamlNode& at, std::uint64_t tasks, std::uint64_t bytes_of_sets) {
    constexpr std::uint64_t kMost = ArgumentReader::kMaxArgumentBytes;
    const std::uint64_t bytes = bytes_of_sets + tasks * JsonBytes(spec_.args);
    if (bytes <= kMost) return true;
    Reject(at, kOverKey,
           fmt::format("the arguments of the {} tasks have {}, expected at most {}; put large "
                       "values into a file of the bundle or data and use $path",
                       tasks, FormatBytes(bytes), FormatBytes(kMost)));
    return false;
  }

  /// Returns what is wrong with an argument set.
  std::optional<std::string> ProblemOf(const Value& set) const {
    const bool has_names = HasNames(set);
    if (has_names ? !spec_.args.positional.empty() : !spec_.args.named.empty())
      return fmt::format(
          "found {} arguments, but those in `args` are {}; name all arguments, or "
          "pass all by position",
          has_names ? "named" : "positional", has_names ? "positional" : "named");
    if (!spec_.run) return std::nullopt;
    if (has_names) {
      for (const auto& [name, value] : *set.AsMap())
        if (auto problem = OptionProblem(name, value)) return problem;
      return std::nullopt;
    }
    const Value::List* list = set.AsList();
    const bool are_words =
        list == nullptr ? IsCommandWord(set) : std::ranges::all_of(*list, IsCommandWord);
    if (are_words) return std::nullopt;
    return "found a value that is no word of `run`, expected strings, numbers or booleans";
  }

  static std::optional<std::string> OptionProblem(const std::string& name, const Value& value) {
    if (!IsOptionName(name))
      return fmt::format(
          "found the name \"{}\" in arguments of `run`, expected the name of an "
          "option without dashes",
          Printable(name));
    if (IsProgramArgument(value)) return std::nullopt;
    return fmt::format(
        "found a map or nested list as {} of `run`, expected a scalar or a list of "
        "scalars",
        Printable(name));
  }

  void SetPosition(const std::string& key, SourcePosition position) {
    context_.positions.emplace(key, std::move(position));
  }

  Value::List ReadList(const YamlNode& over) {
    Value::List sets;
    if (over.items.empty() || !CheckCount(over, over.items.size(), "the list")) return sets;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < over.items.size(); ++i) {
      const YamlNode& item = over.items[i];
      const std::string where = fmt::format("{}[{}]", kOverKey, i);
      const Value& set = sets.emplace_back(reader_.Read(item, where));
      bytes += JsonBytes(set);
      if (const auto problem = ProblemOf(set)) Reject(item, where, *problem);
      if (!forms_.insert(FormOf(set)).second) continue;
      SetPosition(where, context_.diagnostics.PositionOf(item));
      for (const auto& [key, value] : item.members)
        SetPosition(where + "." + key.text, context_.diagnostics.PositionOf(key));
    }
    CheckSize(over, sets.size(), bytes);
    return sets;
  }

  Value::List ReadFile(const YamlNode& kind, const YamlNode& name) {
    Value::List sets;
    if (std::ranges::find(kSetFiles, kind.text) == kSetFiles.end()) {
      Reject(kind, kOverKey,
             "found " + Found(kind) + ", expected $json, $jsonl or $csv" +
                 DidYouMean(kind.text, {kSetFiles.begin(), kSetFiles.end()}));
      return sets;
    }
    auto lines = reader_.ReadSets(kind.text, name, kOverKey);
    if (!lines || !CheckCount(name, lines->size(), name.text)) return sets;
    std::uint64_t bytes = 0;
    sets.reserve(lines->size());
    for (auto& [set, line] : *lines) {
      const std::string where = fmt::format("{}[{}]", kOverKey, sets.size());
      const SourcePosition position{.file = name.text, .line = line, .column = 0};
      bytes += JsonBytes(set);
      if (const auto problem = ProblemOf(set))
        Reject(name, kOverKey,
               fmt::format("{}: {}", line == 0 ? where : position.ToString(), *problem));
      if (forms_.insert(FormOf(set)).second) SetPosition(where, position);
      sets.push_back(std::move(set));
    }
    CheckSize(name, sets.size(), bytes);
    return sets;
  }

  Value::List ReadGrid(const YamlNode& over) {
    std::vector<Axis> axes;
    for (const auto& [key, value] : over.members) {
      const std::string where = std::string(kOverKey) + "." + key.text;
      if (key.text.starts_with('$')) {
        Reject(key, kOverKey, Found(key) + " cannot be combined with other keys in its map");
        continue;
      }
      auto values = ReadAxis(value, where, context_, reader_);
      if (!values) continue;
      CheckAxis(value, where, key.text, *values);
      axes.push_back({key.text, *std::move(values)});
    }
    if (axes.empty() || axes.size() < over.members.size()) {
      if (over.members.empty())
        Reject(over, kOverKey, "found an empty map, expected names with their values");
      return {};
    }
    if (!spec_.args.positional.empty()) {
      Reject(over, kOverKey,
             "found named arguments, but those in `args` are positional; name all arguments, or "
             "pass all by position");
      return {};
    }
    return CheckGrid(over, axes) ? Product(axes) : Value::List();
  }

  void CheckAxis(const YamlNode& at, const std::string& where, const std::string& name,
                 const Value::List& values) {
    if (!spec_.run) return;
    for (const Value& value : values) {
      const auto problem = OptionProblem(name, value);
      if (!problem) continue;
      return Reject(at, where, *problem);
    }
  }

  /// Checks the number and the size of the argument sets of a grid.
  bool CheckGrid(const YamlNode& over, const std::vector<Axis>& axes) {
    constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t tasks = 1;
    std::string product;
    for (const Axis& axis : axes) {
      const std::uint64_t size = axis.values.size();
      tasks = size > kMost / tasks ? kMost : tasks * size;
      product += fmt::format("{}{}", product.empty() ? "" : " × ", size);
    }
    if (tasks > kMaxTasks) {
      const std::string total = tasks == kMost ? "" : fmt::format(" = {}", tasks);
      Reject(over, kOverKey,
             fmt::format("the grid has {}{} argument sets, expected at most {}", product, total,
                         kMaxTasks));
      return false;
    }
    std::uint64_t bytes = 0;
    for (const Axis& axis : axes) {
      const std::uint64_t copies = tasks / axis.values.size();
      for (const Value& value : axis.values)
        bytes += copies * (JsonBytes(value) + axis.name.size() + 4);
    }
    return CheckSize(over, tasks, bytes);
  }

  /// Returns the argument sets of a grid; those of the last name vary fastest.
  Value::List Product(const std::vector<Axis>& axes) {
    std::size_t tasks = 1;
    for (const Axis& axis : axes) tasks *= axis.values.size();
    Value::List sets;
    sets.reserve(tasks);
    for (std::size_t task = 0; task < tasks; ++task) {
      Value::Map set;
      set.reserve(axes.size());
      std::size_t below = tasks;
      for (const Axis& axis : axes) {
        below /= axis.values.size();
        const std::size_t i = task / below % axis.values.size();
        set.emplace_back(axis.name, axis.values[i]);
        CopyPathPositions(axis.name, i, task);
      }
      sets.emplace_back(std::move(set));
    }
    return sets;
  }

  /// Path arguments are resolved by their positions.
  void CopyPathPositions(const std::string& name, std::size_t i, std::size_t task) {
    auto& positions = context_.positions;
    const std::string from = fmt::format("{}.{}[{}]", kOverKey, name, i);
    Positions copies;
    for (auto at = positions.lower_bound(from);
         at != positions.end() && at->first.starts_with(from); ++at) {
      const std::string rest = at->first.substr(from.size());
      copies.emplace(fmt::format("{}[{}].{}{}", kOverKey, task, name, rest), at->second);
    }
    positions.merge(copies);
  }

  ReadContext& context_;
  JobSpec& spec_;
  ArgumentReader reader_;
  std::set<std::vector<std::string>> forms_;  ///< of the argument sets read
};

std::uint32_t CountOf(const YamlNode& array, const char* key, std::uint32_t absent) {
  return static_cast<std::uint32_t>(IntOf(Find(array, key)).value_or(absent));
}

/// Reports an array without tasks. An option alone, such as --parallel, does not make one.
void RejectEmpty(const YamlNode& array, const ReadContext& context) {
  for (const char* key : {"parallel", "max_failed", "tasks_per_pod"}) {
    const YamlNode* node = Find(array, key);
    if (node == nullptr || node->line > 0) continue;
    return context.diagnostics.Add(
        *node, "the job has no array; specify its tasks with --over or --array");
  }
  context.diagnostics.Add(array, "array: missing key count or over");
}

}  // namespace

void ReadArray(const YamlNode& root, ReadContext& context, JobSpec& spec) {
  const YamlNode* array = Find(root, "array");
  if (array == nullptr || array->kind != YamlNode::Kind::kMap) return;
  spec.array.emplace();
  spec.array->count = CountOf(*array, "count", 0);
  spec.array->parallel = CountOf(*array, "parallel", 0);
  spec.array->tasks_per_pod = CountOf(*array, "tasks_per_pod", 1);
  if (Find(*array, "max_failed") != nullptr) {
    spec.array->max_failed = CountOf(*array, "max_failed", 0);
  }
  const YamlNode* over = Find(*array, "over");
  const YamlNode* count = Find(*array, "count");
  if (over == nullptr && count == nullptr) return RejectEmpty(*array, context);
  if (over != nullptr && count != nullptr) {
    context.diagnostics.Add(*count, "array.count: cannot be combined with `over`");
  }
  if (over != nullptr) TasksReader(context, spec).Read(*over);
}

}  // namespace kinetic::jobspec
