// Trains a Python model with several learning rates as the tasks of one job, prints the metrics of all
// tasks while they run, and reports the best rate.
//
//     sweep FOLDER [PROFILE]
//
// FOLDER has train.py.
#include <kinetic/kinetic.h>
#include <kinetic/settings.h>
#include <kinetic/tasks.h>

#include <cstddef>
#include <cstdint>
#include <iostream>
#include <latch>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

const std::vector<double> kRates{0.03, 0.3, 1.0, 4.0};

// Prints whole lines, although two threads print.
void Print(double rate, std::string_view line) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::cout << "rate " << rate << ": " << line << std::endl;
}

kinetic::Result<kinetic::Job> SubmitSweep(kinetic::Client& client, const std::string& folder) {
  kinetic::Value::List arguments;
  for (const double rate : kRates) arguments.push_back(kinetic::Value::Map{{"rate", rate}});
  auto spec = kinetic::JobSpec::Function("train:train").Arg("epochs", 5).Bundle(folder);
  spec.array = kinetic::ArraySpec{.count = static_cast<std::uint32_t>(kRates.size()),
                                  .over = std::move(arguments)};
  return client.Submit(spec);
}

// Prints the lines of a task's log as the task writes them.
void PrintMetrics(double rate, const kinetic::Job& task, std::latch& printed) {
  const auto print = [rate](const kinetic::LogRecord& record) {
    std::string_view line = record.text;
    if (line.ends_with('\n')) line.remove_suffix(1);
    Print(rate, line);
    return kinetic::Status();
  };
  task.OnLog(print, [&printed](const kinetic::Status& read) {
    if (!read) kinetic::Report(std::cerr, read.error());
    printed.count_down();
  });
}

kinetic::Result<double> FindBestRate(const kinetic::Tasks& tasks) {
  double best_rate = 0;
  double best_loss = std::numeric_limits<double>::infinity();
  KINETIC_RETURN_IF_ERROR(tasks.Each([&](const kinetic::TaskSummary& task) -> kinetic::Status {
    const double rate = kRates[task.task];
    // Another rate may succeed, so a failed task does not end the sweep.
    if (!task.value) {
      Print(rate, task.reason);
      return {};
    }
    KINETIC_ASSIGN_OR_RETURN(const double loss, task.value->As<double>("loss"));
    Print(rate, "succeeded with loss " + std::to_string(loss));
    if (loss < best_loss) {
      best_loss = loss;
      best_rate = rate;
    }
    return {};
  }));
  if (best_rate == 0) return kinetic::Fail(kinetic::ErrorCode::kAborted, "no task has succeeded");
  return best_rate;
}

kinetic::Status Sweep(const std::string& folder, const std::string& profile) {
  KINETIC_ASSIGN_OR_RETURN(auto client, kinetic::Client::Open(kinetic::LoadProfile(profile)));
  KINETIC_ASSIGN_OR_RETURN(const kinetic::Job job, SubmitSweep(client, folder));
  const kinetic::Tasks tasks(job);
  std::vector<kinetic::Job> trials;
  for (std::uint32_t task = 0; task < kRates.size(); ++task) {
    KINETIC_ASSIGN_OR_RETURN(kinetic::Job trial, tasks.At(task));
    trials.push_back(std::move(trial));
  }
  std::latch printed(static_cast<std::ptrdiff_t>(trials.size()));
  for (std::size_t i = 0; i < trials.size(); ++i) PrintMetrics(kRates[i], trials[i], printed);
  const auto best = FindBestRate(tasks);
  printed.wait();
  if (!best) return kinetic::Failure(best.error());
  std::cout << "best rate " << *best << std::endl;
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
