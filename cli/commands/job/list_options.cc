#include "commands/job/list_options.h"

#include "kinetic/profile.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/job/selection.h"
#include "context.h"
#include "output/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

namespace kinetic::cli {
namespace {

constexpr std::uint32_t kDefaultLimit = 20;
constexpr std::array kStates = {JobState::kQueued,    JobState::kPending, JobState::kRunning,
                                JobState::kSucceeded, JobState::kFailed,  JobState::kCancelled,
                                JobState::kPreempted, JobState::kLost};

std::vector<std::string> StateNames() {
  std::vector<std::string> names;
  names.reserve(kStates.size());
  for (const JobState state : kStates) names.emplace_back(Name(state));
  return names;
}

/// Fails for the option with which other commands set the owner of a job.
Status CheckOwnerOption(std::string_view command, const Context& context) {
  if (!context.flags.contains(SettingId::kOwner)) return {};
  return Fail(
      ErrorCode::kInvalidArgument, fmt::format("'kinetic {}' does not use --owner", command),
      "to list the jobs of one owner: --of " + SafeLine(context.settings.Text(SettingId::kOwner)));
}

}  // namespace

void AddListOptions(Command& command, JobListing& listing) {
  command.Flag({"-a,--all", "", "List all jobs"}, listing.all);
  command.Number({"-n,--limit", "N", "Maximum number of jobs to list (default: 20)"},
                 listing.limit);
  command.Text({.names = "--state",
                .placeholder = "STATE",
                .doc = "List only jobs in this state",
                .choices = StateNames()},
               listing.state);
  command.Text({"--name", "NAME", "List only jobs with this name"}, listing.name);
  command.Text({"--of", "OWNER", "List only jobs that this owner submitted"}, listing.owner);
  command.Texts({"--tag", "NAME=VALUE", "List only jobs with this tag"}, listing.tags);
}

std::string NoJobs(const JobListing& listing, const Context& context) {
  const std::string store = context.settings.Text(SettingId::kStore);
  std::error_code ignored;
  if (!IsInBucket(store) && !std::filesystem::exists(store, ignored))
    return fmt::format("no jobs: the store {} does not exist; 'kinetic run' creates it",
                       SafeLine(store));
  if (!listing.state && !listing.name && !listing.owner && listing.tags.empty())
    return "no jobs; start one with 'kinetic run'";
  std::string text = listing.state ? fmt::format("no {} jobs", *listing.state) : "no jobs";
  if (listing.name) text += " named " + SafeLine(*listing.name);
  if (listing.owner) text += " of " + SafeLine(*listing.owner);
  if (!listing.tags.empty())
    text += SafeLine(fmt::format(" with the tags {}", fmt::join(listing.tags, ", ")));
  return text;
}

Result<ListOptions> ToListOptions(const JobListing& listing, std::string_view command,
                                  const Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckOwnerOption(command, context));
  if (listing.limit == 0)
    return Fail(ErrorCode::kInvalidArgument,
                "--limit: expected a whole number, 1 or more, found '0'", "--all lists all jobs");
  for (const auto& [option, text] : {std::pair{"--name", &listing.name}, {"--of", &listing.owner}})
    if (*text && (*text)->empty())
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: expected a name, found ''", option));
  ListOptions list{.name = listing.name.value_or(""), .owner = listing.owner.value_or("")};
  KINETIC_ASSIGN_OR_RETURN(list.tags, ParseTags(listing.tags));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!listing.all)
    list.limit = static_cast<std::uint32_t>(std::min(listing.limit.value_or(kDefaultLimit), kMost));
  for (const JobState state : kStates)
    if (listing.state == Name(state)) list.state = state;
  return list;
}

void NoteLimit(const JobListing& listing, std::size_t listed, const Context& context) {
  if (!listing.all && !listing.limit && listed == kDefaultLimit)
    context.output.Note(fmt::format("showing the last {} jobs; --all lists all", kDefaultLimit));
}

}  // namespace kinetic::cli
