#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"

#include <memory>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

std::string ValueOf(const ConfigProfile& profile, std::string_view name, std::string otherwise) {
  const ConfigValue* value = profile.Find(name);
  return value == nullptr ? std::move(otherwise) : value->text;
}

/// Returns the cluster of a profile, as far as the profile specifies it.
std::string ClusterOf(const ConfigProfile* profile) {
  if (profile == nullptr || profile->Kind() == "local") return "-";
  if (profile->Kind() == "gke")
    return ValueOf(*profile, "project", "?") + "/" + ValueOf(*profile, "location", "?") + "/" +
           ValueOf(*profile, "cluster", "?");
  if (ValueOf(*profile, "in_cluster", "no") == "yes") return "in-cluster";
  return ValueOf(*profile, "context", "current context");
}

Result<int> ListProfiles(Context& context) {
  const std::string& used = context.settings.Text(SettingId::kTarget);
  Table table{.headings = {"", "NAME", "KIND", "CLUSTER", "STORE"}};
  Value::List documents;
  const auto add = [&](const std::string& name, const ConfigProfile* profile) {
    const ConfigValue* store = profile == nullptr ? nullptr : profile->Find("store");
    const std::string kind = profile == nullptr ? "local" : profile->Kind();
    table.rows.push_back({Cell(name == used ? "*" : "", Role::kGood), name, kind,
                          ClusterOf(profile), store == nullptr ? "-" : store->text});
    documents.emplace_back(Value::Map{
        {"name", name}, {"kind", kind}, {"in_use", name == used}, {"built_in", name == "local"}});
  };
  add("local", context.config.Find("local"));
  for (const ConfigProfile& profile : context.config.profiles)
    if (profile.name != "local") add(profile.name, &profile);
  context.output.Show(table);
  if (context.output.IsJson()) context.output.Document(std::move(documents));
  return kSuccess;
}

}  // namespace

void RegisterProfileLs(Command& parent) {
  Command& command = parent.Add({.name = "ls",
                                 .summary = "List profiles",
                                 .description = "List the profiles and mark the current one.",
                                 .usage = {"[OPTIONS]"},
                                 .examples = {"kinetic profile ls"},
                                 .any_target = true});
  command.SetAction(ListProfiles);
}

}  // namespace kinetic::cli
