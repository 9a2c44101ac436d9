#pragma once

#include "kinetic/client.h"
#include "kinetic/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {

class Command;
struct Context;

/// The options of commands that list jobs of all owners: the last ones by default.
struct JobListing {
  bool all = false;
  std::optional<std::uint64_t> limit;
  std::optional<std::string> state;
  std::optional<std::string> name;
  std::optional<std::string> owner;
  std::vector<std::string> tags;

  bool IsGiven() const { return all || limit || state || name || owner || !tags.empty(); }
};

/// Adds --all, --limit, --state, --name, --of and --tag.
void AddListOptions(Command& command, JobListing& listing);

/// Returns the options of Client::List.
///
/// @param command  for messages: "ps".
/// @errors         kInvalidArgument.
Result<ListOptions> ToListOptions(const JobListing& listing, std::string_view command,
                                  const Context& context);

/// Explains why no job is listed.
std::string NoJobs(const JobListing& listing, const Context& context);

/// Notes that older jobs may not be listed.
void NoteLimit(const JobListing& listing, std::size_t listed, const Context& context);

}  // namespace kinetic::cli
