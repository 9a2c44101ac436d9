#include "kinetic/client.h"

#include "kinetic/job_file.h"
#include "kinetic/project.h"
#include "kinetic/settings.h"
#include "kinetic/try.h"

#include "conversions.h"
#include "errors.h"
#include "event_observer.h"
#include "job.h"
#include "owned.h"
#include "waiting_call.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

/// kinetic._kinetic.Client: a client of one target, with the settings of the command.
struct ClientHandle {
  Owned<Client> client;
  std::map<std::string, std::string> environment;
  std::string image;  ///< of jobs that do not set one; may be empty
  Prices prices;
};

/// A submission, as described by Python.
struct JobRequest {
  std::vector<std::pair<std::string, std::string>> keys;  ///< of a job file, with values as JSON
  std::string folder;                                     ///< that the job's paths are relative to
  std::string root;                                       ///< of the bundle
  std::string workdir;                                    ///< absolute
};

ClientHandle Open(const std::string& profile, const std::string& python_folder,
                  const std::string& python_version) {
  ClientOptions options = ValueOrRaise(LoadProfile(profile));
  options.search_path = python_folder + ":" + options.search_path;
  if (options.python.empty()) options.python = python_version;
  auto environment = options.environment;
  auto image = options.profile.kubernetes.image;
  auto prices = options.prices;
  return {Owned(ValueOrRaise(WaitingCall().Run([&](const std::stop_token& stop) {
            return Client::Open(std::move(options), stop);
          }))),
          std::move(environment), std::move(image), std::move(prices)};
}

Result<JobSpec> SpecOf(const JobRequest& request, std::map<std::string, std::string> environment) {
  JobFileOptions options{.environment = std::move(environment), .directory = request.folder};
  for (const auto& [key, json] : request.keys) options.shortcuts.push_back({key, key, json});
  KINETIC_ASSIGN_OR_RETURN(JobSpec spec, ParseJobFile({}, {}, options));
  spec.directory = request.workdir;
  spec.workdir = request.workdir;
  spec.bundle.root = request.root;
  return spec;
}

void AddArguments(JobSpec& spec, Value arguments, Value over) {
  if (auto* list = arguments.AsList()) spec.args.positional = std::move(*list);
  if (auto* map = arguments.AsMap()) spec.args.named = std::move(*map);
  auto* sets = over.AsList();
  if (sets == nullptr) return;
  if (!spec.array) spec.array.emplace();
  spec.array->count = static_cast<std::uint32_t>(sets->size());
  spec.array->over = std::move(over);
}

/// @param on_interrupt  receives the job if the call is interrupted after the job was submitted.
JobHandle Submit(const ClientHandle& handle, const JobRequest& request, nb::handle arguments,
                 nb::handle over, nb::object on_event, const nb::callable& on_interrupt) {
  JobSpec spec = ValueOrRaise(SpecOf(request, handle.environment));
  AddArguments(spec, ToValue(arguments), ToValue(over));
  WaitingCall call(std::move(on_event), nullptr, Ticks::kYes);
  EventObserver observer(call);
  std::optional<Job> job;
  try {
    ValueOrRaise(call.Run([&](const std::stop_token& stop) -> Status {
      KINETIC_ASSIGN_OR_RETURN(job,
                               handle.client->Submit(spec, {.observer = &observer, .stop = stop}));
      return {};
    }));
  } catch (const nb::python_error&) {
    if (job) on_interrupt(JobHandle{Owned(*std::move(job)), handle.prices});
    throw;
  }
  return {Owned(*std::move(job)), handle.prices};
}

JobHandle Find(const ClientHandle& handle, const std::string& word) {
  return {Owned(ValueOrRaise(WaitingCall().Run(
              [&](const std::stop_token& stop) { return handle.client->Find(word, stop); }))),
          handle.prices};
}

nb::list List(const ClientHandle& handle, std::optional<std::uint32_t> limit,
              const std::string& name, std::map<std::string, std::string> tags) {
  const ListOptions options{.limit = limit, .name = name, .tags = std::move(tags)};
  nb::list jobs;
  for (const JobSummary& job : ValueOrRaise(WaitingCall().Run(
           [&](const std::stop_token& stop) { return handle.client->List(options, stop); })))
    jobs.append(SummaryFields(job, handle.prices));
  return jobs;
}

bool IsBundled(const std::string& root, std::vector<std::string> exclude, bool default_excludes,
               const std::string& file) {
  const BundleSpec bundle{
      .root = root, .exclude = std::move(exclude), .default_excludes = default_excludes};
  return ValueOrRaise(IsInBundle(bundle, file));
}

std::pair<std::string, bool> ProjectOf(const std::string& folder, const std::string& home) {
  const Project project = ValueOrRaise(FindProject(folder, home));
  return {project.folder.string(), project.has_marker};
}

}  // namespace

void BindClient(nb::module_& module) {
  nb::class_<JobRequest>(module, "JobRequest")
      .def(nb::init<std::vector<std::pair<std::string, std::string>>, std::string, std::string,
                    std::string>(),
           "keys"_a, "folder"_a, "root"_a, "workdir"_a);
  nb::class_<ClientHandle>(module, "Client")
      .def_prop_ro("image", [](const ClientHandle& handle) { return handle.image; })
      .def("submit", &Submit, "request"_a, "arguments"_a.none(), "over"_a.none(),
           "on_event"_a.none(), "on_interrupt"_a)
      .def("find", &Find, "word"_a)
      .def("list", &List, "limit"_a.none(), "name"_a, "tags"_a);
  module.def("open_client", &Open, "profile"_a, "python_folder"_a, "python_version"_a);
  module.def("is_bundled", &IsBundled, "root"_a, "exclude"_a, "default_excludes"_a, "file"_a);
  module.def("find_project", &ProjectOf, "folder"_a, "home"_a);
}

}  // namespace kinetic::python
