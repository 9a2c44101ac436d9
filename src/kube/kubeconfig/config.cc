#include "kube/kubeconfig/config.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <algorithm>

namespace kinetic::kube {
namespace {

constexpr std::uint64_t kConfigBytes = 4U << 20;

/// Adds the entries with new names.
template <typename Entry>
void Merge(std::vector<Entry>& into, std::vector<Entry> from) {
  for (Entry& entry : from) {
    const bool known =
        std::ranges::any_of(into, [&](const Entry& old) { return old.name == entry.name; });
    if (!known) into.push_back(std::move(entry));
  }
}

void Merge(Kubeconfig& into, Kubeconfig from) {
  into.files.insert(into.files.end(), from.files.begin(), from.files.end());
  if (into.current_context.empty()) into.current_context = std::move(from.current_context);
  Merge(into.clusters, std::move(from.clusters));
  Merge(into.users, std::move(from.users));
  Merge(into.contexts, std::move(from.contexts));
}

Failure NoFile(std::span<const Path> paths) {
  std::string names;
  for (const Path& path : paths) names += (names.empty() ? "" : ", ") + Printable(path.native());
  return Fail(ErrorCode::kNotFound,
              names.empty() ? "no kubeconfig is configured"
                            : "cannot read the kubeconfig " + names + ": no such file",
              "set one in the profile or in KUBECONFIG, or run kinetic inside a cluster");
}

}  // namespace

Result<Kubeconfig> ReadKubeconfig(FileSystem& fs, std::span<const Path> paths) {
  Kubeconfig config;
  for (const Path& path : paths) {
    if (path.empty()) continue;
    auto text = ReadFile(fs, path, kConfigBytes);
    if (!text && text.error().code == ErrorCode::kNotFound) continue;
    if (!text) return Failure(std::move(text).error().Context("cannot read a kubeconfig"));
    KINETIC_ASSIGN_OR_RETURN(Kubeconfig one, ParseKubeconfig(*text, path));
    Merge(config, std::move(one));
  }
  if (config.files.empty()) return NoFile(paths);
  return config;
}

}  // namespace kinetic::kube
