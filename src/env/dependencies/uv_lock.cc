#include "kinetic/try.h"

#include "base/strings.h"
#include "env/dependencies/dependency_files.h"
#include "env/dependencies/pyproject.h"
#include "env/pep/requirement.h"
#include "json/document.h"
#include "json/parse.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace kinetic::env {
namespace {

Failure InvalidLock(const std::string& message, std::string hint = {}) {
  return Fail(ErrorCode::kInvalidArgument, "uv.lock: " + message, std::move(hint));
}

const Value::List& Items(const Value* value) {
  static const Value::List kNone;
  return value != nullptr && value->AsList() != nullptr ? *value->AsList() : kNone;
}

/// Returns uv's name for an extra or group of a conflict: "extra-4-name-cpu".
std::string Conflict(std::string_view kind, const std::string& package, const std::string& name) {
  return std::string(kind) + "-" + std::to_string(package.size()) + "-" + package + "-" + name;
}

class Traversal {
 public:
  Traversal(const Value& document, const UvSelection& selection)
      : selection_(selection),
        packages_(Items(document.Find("package"))),
        environment_(MarkerEnvironment::For(selection.python, selection.platform)) {}

  Result<UvPackages> Run() {
    KINETIC_ASSIGN_OR_RETURN(const Value* root, Root());
    KINETIC_RETURN_IF_ERROR(CheckFresh(*root));
    const std::string name = NormalizedName(json::TextAt(*root, "name"));
    for (const auto& extra : selection_.extras) {
      environment_.extras.insert(Conflict("extra", name, NormalizedName(extra)));
    }
    for (const auto& group : selection_.groups) {
      environment_.extras.insert(Conflict("group", name, NormalizedName(group)));
    }
    KINETIC_RETURN_IF_ERROR(Follow(root->Find("dependencies")));
    for (const auto& extra : selection_.extras) {
      KINETIC_RETURN_IF_ERROR(FollowNamed(*root, "optional-dependencies", "extra", extra));
    }
    for (const auto& group : selection_.groups) {
      KINETIC_RETURN_IF_ERROR(FollowNamed(*root, "dev-dependencies", "dependency group", group));
    }
    while (!pending_.empty()) {
      const auto [package, extra] = pending_.back();
      pending_.pop_back();
      KINETIC_RETURN_IF_ERROR(Visit(*package, extra));
    }
    return Collect();
  }

 private:
  Result<const Value*> Root() const {
    for (const Value& package : packages_) {
      const Value* const source = package.Find("source");
      if (source == nullptr) continue;
      for (const std::string_view kind : {"virtual", "editable", "directory"}) {
        if (json::TextAt(*source, kind) == ".") return &package;
      }
    }
    return InvalidLock("no package for the project itself",
                       "use the uv.lock of a project, not of a workspace without a root project");
  }

  /// Checks that the lock matches the dependencies in pyproject.toml.
  Status CheckFresh(const Value& root) const {
    const Value* const metadata = root.Find("metadata");
    const Value* const required = metadata != nullptr ? metadata->Find("requires-dist") : nullptr;
    if (metadata == nullptr) return {};
    std::set<std::string> locked;
    for (const Value& one : Items(required)) {
      const bool optional = json::TextAt(one, "marker").find("extra ==") != std::string::npos;
      if (optional) continue;
      const auto specifier = SpecifierSet::Parse(json::TextAt(one, "specifier"));
      locked.insert(NormalizedName(json::TextAt(one, "name")) +
                    (specifier ? specifier->ToString() : ""));
    }
    std::set<std::string> declared;
    for (const auto& one : selection_.dependencies) {
      declared.insert(one.name + one.specifier.ToString());
    }
    for (const auto& one : declared) {
      if (!locked.contains(one)) return Stale("pyproject.toml requires " + one);
    }
    for (const auto& one : locked) {
      if (!declared.contains(one)) return Stale("pyproject.toml no longer requires " + one);
    }
    return {};
  }

  static Failure Stale(const std::string& difference) {
    return InvalidLock("out of date, because " + difference, "run 'uv lock'");
  }

  Status FollowNamed(const Value& root, std::string_view table, const std::string& kind,
                     const std::string& written) {
    const Value* const lists = root.Find(table);
    std::vector<std::string> names;
    if (lists != nullptr && lists->AsMap() != nullptr) {
      for (const auto& [name, list] : *lists->AsMap()) {
        if (NormalizedName(name) == NormalizedName(written)) return Follow(&list);
        names.push_back(name);
      }
    }
    // Groups without dependencies are only in the metadata.
    if (IsDeclared(root, written)) return {};
    const auto nearest = Nearest(written, names);
    return InvalidLock("unknown " + kind + " '" + Printable(written) + "'" +
                           (nearest ? "; did you mean '" + *nearest + "'" : ""),
                       "if pyproject.toml contains it, run 'uv lock'");
  }

  static bool IsDeclared(const Value& root, const std::string& written) {
    const Value* const metadata = root.Find("metadata");
    if (metadata == nullptr) return false;
    for (const Value& extra : Items(metadata->Find("provides-extras"))) {
      if (extra.AsString() != nullptr &&
          NormalizedName(*extra.AsString()) == NormalizedName(written)) {
        return true;
      }
    }
    const Value* const groups = metadata->Find("requires-dev");
    return groups != nullptr && groups->Find(written) != nullptr;
  }

  Status Follow(const Value* dependencies) {
    for (const Value& dependency : Items(dependencies)) {
      const std::string text = json::TextAt(dependency, "marker");
      if (!text.empty()) {
        auto marker = Marker::Parse(text);
        if (!marker) return InvalidLock(marker.error().message);
        if (!marker->Evaluate(environment_)) continue;
      }
      KINETIC_ASSIGN_OR_RETURN(const Value* package, Find(dependency));
      pending_.emplace_back(package, "");
      for (const Value& extra : Items(dependency.Find("extra"))) {
        if (extra.AsString() != nullptr) pending_.emplace_back(package, *extra.AsString());
      }
    }
    return {};
  }

  Result<const Value*> Find(const Value& dependency) const {
    const std::string name = json::TextAt(dependency, "name");
    const std::string version = json::TextAt(dependency, "version");
    const Value* const source = dependency.Find("source");
    const Value* found = nullptr;
    for (const Value& package : packages_) {
      if (json::TextAt(package, "name") != name) continue;
      if (!version.empty() && json::TextAt(package, "version") != version) continue;
      if (source != nullptr && package.Find("source") != nullptr &&
          !(*package.Find("source") == *source)) {
        continue;
      }
      if (found != nullptr) return InvalidLock("'" + Printable(name) + "' matches two packages");
      found = &package;
    }
    if (found == nullptr) return InvalidLock("the package '" + Printable(name) + "' is missing");
    return found;
  }

  Status Visit(const Value& package, const std::string& extra) {
    if (!visited_.emplace(&package, extra).second) return {};
    if (extra.empty()) return Follow(package.Find("dependencies"));
    const Value* const optional = package.Find("optional-dependencies");
    return optional != nullptr ? Follow(optional->Find(extra)) : Status();
  }

  Result<UvPackages> Collect() const {
    UvPackages result;
    std::map<std::string, LockedPackage> by_name;
    for (const auto& [package, extra] : visited_) {
      if (!extra.empty()) continue;
      KINETIC_ASSIGN_OR_RETURN(LockedPackage locked, Locked(*package, result));
      const auto [at, fresh] = by_name.emplace(locked.name, locked);
      if (!fresh && !(at->second == locked)) {
        return InvalidLock("two versions of " + locked.name +
                               " are required: " + at->second.version + " and " + locked.version,
                           "select fewer extras and groups");
      }
    }
    for (auto& [name, package] : by_name) result.packages.push_back(std::move(package));
    auto& registries = result.registries;
    std::sort(registries.begin(), registries.end());
    registries.erase(std::unique(registries.begin(), registries.end()), registries.end());
    return result;
  }

  static Result<LockedPackage> Locked(const Value& package, UvPackages& result) {
    LockedPackage locked;
    locked.name = NormalizedName(json::TextAt(package, "name"));
    locked.version = json::TextAt(package, "version");
    const Value* const source = package.Find("source");
    const std::string registry = source != nullptr ? json::TextAt(*source, "registry") : "";
    const std::string url = source != nullptr ? json::TextAt(*source, "url") : "";
    if (registry.find("://") != std::string::npos) {
      result.registries.push_back(RedactUrl(registry));
    } else if (!url.empty()) {
      locked.url = RedactUrl(url);
      if (locked.url != url) result.private_urls[locked.url] = url;
    } else {
      const bool git = source != nullptr && source->Find("git") != nullptr;
      return InvalidLock(
          locked.name + " comes from " +
              (git ? "a git repository, which has no hash" : "a folder on this machine"),
          "include your own code in the bundle, and install packages from an index");
    }
    std::set<std::string> hashes;
    const auto add = [&](const Value& file) {
      if (auto hash = ParseHash(json::TextAt(file, "hash"))) hashes.insert(*std::move(hash));
    };
    if (const Value* const sdist = package.Find("sdist")) add(*sdist);
    for (const Value& wheel : Items(package.Find("wheels"))) add(wheel);
    if (hashes.empty()) return InvalidLock(locked.name + " has no hash");
    locked.hashes.assign(hashes.begin(), hashes.end());
    return locked;
  }

  const UvSelection& selection_;
  const Value::List& packages_;
  MarkerEnvironment environment_;
  std::vector<std::pair<const Value*, std::string>> pending_;
  std::set<std::pair<const Value*, std::string>> visited_;
};

}  // namespace

Result<UvPackages> ReadUvLock(std::string_view text, const UvSelection& selection) {
  auto document = json::ParseToml(text);
  if (!document) return Failure(std::move(document).error().Context("uv.lock"));
  const Value* const version = document->Find("version");
  if (version == nullptr || version->AsInt() == nullptr) return InvalidLock("missing version");
  if (*version->AsInt() != 1) {
    return InvalidLock("unsupported version " + std::to_string(*version->AsInt()) + ", expected 1",
                       "update kinetic");
  }
  KINETIC_RETURN_IF_ERROR(
      CheckRequiresPython(json::TextAt(*document, "requires-python"), selection.python, "uv.lock"));
  return Traversal(*document, selection).Run();
}

}  // namespace kinetic::env
