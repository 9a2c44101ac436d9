// Trains a Python model with several learning rates at the same time, prints the metrics of all jobs
// while they run, and reports the best rate.
//
//     sweep FOLDER [PROFILE]
//
// FOLDER has train.py.
#include <kinetic/kinetic.h>
#include <kinetic/settings.h>
#include <kinetic/waiting.h>

#include <functional>
#include <iostream>
#include <limits>
#include <mutex>
#include <sstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

struct Trial {
  double rate;
  kinetic::Job job;
};

// Prints whole lines, although several threads print.
void Print(double rate, std::string_view line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << "rate " << rate << ": " << line << std::endl;
}

// Prints the lines of a job's log as the job writes them.
void PrintMetrics(const std::stop_token& stop, const Trial& trial) {
  const auto print = [&](const kinetic::LogRecord& record) {
    std::string_view line = record.text;
    if (line.ends_with('\n')) line.remove_suffix(1);
    Print(trial.rate, line);
    return kinetic::Status();
  };
  const auto read = trial.job.Logs({.follow = true, .stop = stop}, print);
  if (!read) kinetic::Report(std::cerr, read.error());
}

kinetic::Result<std::vector<Trial>> SubmitTrials(kinetic::Client& client,
                                                 const std::string& folder) {
  std::vector<Trial> trials;
  auto spec = kinetic::JobSpec::Function("train:train").Arg("epochs", 5).Bundle(folder);
  for (const double rate : {0.03, 0.3, 1.0, 4.0}) {
    KINETIC_ASSIGN_OR_RETURN(kinetic::Job job, client.Submit(spec.Arg("rate", rate)));
    trials.push_back({rate, std::move(job)});
  }
  return trials;
}

kinetic::Status Sweep(const std::string& folder, const std::string& profile) {
  KINETIC_ASSIGN_OR_RETURN(auto client, kinetic::Client::Open(kinetic::LoadProfile(profile)));
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Trial> trials, SubmitTrials(client, folder));
  std::vector<std::jthread> followers;
  std::vector<kinetic::Job> jobs;
  for (const Trial& trial : trials) {
    followers.emplace_back(PrintMetrics, std::cref(trial));
    jobs.push_back(trial.job);
  }

  double best_rate = 0;
  double best_loss = std::numeric_limits<double>::infinity();
  const auto compare = [&](const kinetic::EndedJob& ended) -> kinetic::Status {
    const double rate = trials[ended.index].rate;
    // Another rate may succeed, so a failed job does not end the sweep.
    const auto loss = ended.outcome.As<double>("loss");
    std::ostringstream line;
    line << ended.outcome;
    if (loss) line << " with loss " << *loss;
    Print(rate, line.str());
    if (loss && *loss < best_loss) {
      best_loss = *loss;
      best_rate = rate;
    }
    return {};
  };
  KINETIC_RETURN_IF_ERROR(kinetic::WaitEach(jobs, compare));
  for (std::jthread& follower : followers) follower.join();
  if (best_rate == 0) return kinetic::Fail(kinetic::ErrorCode::kAborted, "no job has succeeded");
  std::cout << "best rate " << best_rate << std::endl;
  return {};
}

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: sweep FOLDER [PROFILE]\n";
    return 2;
  }
  const auto done = Sweep(argv[1], argc > 2 ? argv[2] : "");
  if (!done) kinetic::Report(std::cerr, done.error());
  return done ? 0 : 1;
}
