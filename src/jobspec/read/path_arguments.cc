#include "base/strings.h"
#include "jobspec/read/job_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinetic::jobspec {
namespace {

namespace fs = std::filesystem;

bool IsUnder(const fs::path& path, const fs::path& folder) {
  const fs::path rest = path.lexically_relative(folder);
  return !rest.empty() && *rest.begin() != "..";
}

class Resolver {
 public:
  Resolver(JobSpec& spec, const fs::path& root) : spec_(spec), root_(root) {}

  void Walk(Value& value, const std::string& where) {
    auto* map = value.AsMap();
    // Only values written in the job file have a position; the content of files is not changed.
    if (map != nullptr && map->size() == 1 && map->front().first == "$path" &&
        spec_.positions.contains(where)) {
      return Resolve(map->front().second, where);
    }
    if (!HasPositionsBelow(where)) return;
    if (auto* list = value.AsList()) {
      for (std::size_t i = 0; i < list->size(); ++i)
        Walk((*list)[i], fmt::format("{}[{}]", where, i));
    } else if (map != nullptr) {
      for (auto& [key, member] : *map) Walk(member, fmt::format("{}.{}", where, key));
    }
  }

  Status Finish() const {
    if (problems_.empty()) return {};
    return Failure(Error{ErrorCode::kInvalidArgument, Join(problems_, "\n"), {}, {}}.With(
        "errors", std::to_string(problems_.size())));
  }

 private:
  bool HasPositionsBelow(const std::string& where) const {
    const auto next = spec_.positions.upper_bound(where);
    return next != spec_.positions.end() && next->first.starts_with(where);
  }

  /// Returns the path with its beginning replaced by the nearest path of `data`.
  std::optional<std::string> NearestData(const fs::path& path) const {
    std::vector<std::string> names;
    names.reserve(spec_.data.size());
    for (const auto& entry : spec_.data) names.push_back(entry.first);
    for (fs::path folder = path; folder.has_relative_path(); folder = folder.parent_path()) {
      const auto nearest = Nearest(folder.native(), names);
      if (!nearest) continue;
      const fs::path rest = path.lexically_relative(folder);
      return rest == "." ? *nearest : (fs::path(*nearest) / rest).native();
    }
    return std::nullopt;
  }

  void Resolve(Value& value, const std::string& where) {
    const std::string* text = value.AsString();
    if (text == nullptr || !fs::path(*text).is_absolute()) return;
    const fs::path path = *text;
    const bool data = std::ranges::any_of(
        spec_.data, [&](const auto& entry) { return IsUnder(path, entry.first); });
    if (data) return;
    if (IsUnder(path, root_)) {
      value = Value(path.lexically_relative(root_).generic_string());
      return;
    }
    const auto data_path = NearestData(path);
    problems_.push_back(spec_.positions.at(where).ToString() + ": " + where + ": " +
                        Printable(*text) + " is not in the bundle's root " +
                        Printable(root_.string()) +
                        (data_path ? "; did you mean " + Printable(*data_path) + " of `data`?"
                                   : "; move it there, or add it to `data`"));
  }

  JobSpec& spec_;
  const fs::path& root_;
  std::vector<std::string> problems_;
};

}  // namespace

Status ResolvePathArguments(JobSpec& spec, const fs::path& root) {
  Resolver resolver(spec, root);
  auto& args = spec.args;
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    resolver.Walk(args.positional[i], "args[" + std::to_string(i) + "]");
  }
  for (auto& [name, value] : args.named) resolver.Walk(value, "args." + name);
  if (spec.array) resolver.Walk(spec.array->over, "array.over");
  return resolver.Finish();
}

}  // namespace kinetic::jobspec
