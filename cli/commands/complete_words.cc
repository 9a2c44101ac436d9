#include "commands/complete_words.h"

#include "kinetic/accelerator.h"

#include "command_line/completion.h"
#include "context.h"
#include "exit_code.h"

#include <string>

namespace kinetic::cli {
namespace {

constexpr std::uint32_t kMostJobs = 50;

void AddProfiles(const Context& context, Completion& completion) {
  completion.candidates.push_back({"local", "this machine"});
  for (const ConfigProfile& profile : context.config.profiles)
    if (profile.name != "local") completion.candidates.push_back({profile.name, profile.kind});
}

void AddJobs(const Context& context, Completion& completion) {
  auto client = OpenClient(context);
  if (!client) return;
  const auto jobs = client->List({.limit = kMostJobs}, context.stop);
  if (!jobs) return;
  for (const JobSummary& job : *jobs)
    completion.candidates.push_back({job.id, std::string(Name(job.state))});
}

void AddKind(const Context& context, Completion& completion) {
  switch (completion.kind) {
    case Complete::kProfile:
      return AddProfiles(context, completion);
    case Complete::kJob:
      return AddJobs(context, completion);
    case Complete::kAccelerator:
      for (const Accelerator& accelerator : Accelerators())
        completion.candidates.push_back({accelerator.name, accelerator.machine_type});
      return;
    case Complete::kFile:
      return context.output.Line(":files");
    case Complete::kFolder:
      return context.output.Line(":folders");
    case Complete::kNothing:
      return;
  }
}

}  // namespace

void RegisterCompleteWords(Command& parent) {
  Command& command = parent.Add({.name = "__complete",
                                 .summary = "Answer a completion script",
                                 .description = "Answers a completion script.",
                                 .takes_command = true,
                                 .hidden = true});
  command.Does([](Context& context) { return Run(CompleteWordsOptions{}, context); });
}

Result<int> Run(const CompleteWordsOptions&, Context& context) {
  Completion completion = CompleteWords(context.root, context.rest);
  AddKind(context, completion);
  for (const Candidate& candidate : completion.candidates)
    if (candidate.word.starts_with(completion.prefix))
      context.output.Line(candidate.word + "\t" + candidate.meaning);
  return kSuccess;
}

}  // namespace kinetic::cli
