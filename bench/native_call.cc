// Measures C++ functions as jobs:
//
//     native_call call            prints the median time from the call to the value, in milliseconds
//     native_call jobs COUNT      prints this process's CPU time per submitted job, in milliseconds
//     native_call array MIB       sends an array and returns it; prints the time, in milliseconds
//     native_call files MIB FILE  writes and reads two such files; prints the time, in milliseconds
#include <fcntl.h>
#include <kinetic/function.h>
#include <kinetic/kinetic.h>
#include <kinetic/settings.h>
#include <kinetic/waiting.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using Array = kinetic::NdArray<float>;
using Milliseconds = std::chrono::duration<double, std::milli>;

int AddOne(int number) { return number + 1; }
KINETIC_FUNCTION(AddOne);

Array Echo(Array array) { return array; }
KINETIC_FUNCTION(Echo);

double ProcessorMilliseconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

template <typename Act>
kinetic::Result<double> Time(const Act& act) {
  const auto begun = std::chrono::steady_clock::now();
  const auto& value = act();
  if (!value) return kinetic::Failure(value.error());
  return Milliseconds(std::chrono::steady_clock::now() - begun).count();
}

kinetic::Result<double> MeasureCall(kinetic::Client& client) {
  constexpr int kCalls = 21;
  std::vector<double> taken;
  for (int i = 0; i <= kCalls; ++i) {
    const auto took = Time([&] { return client.Run(&AddOne, i); });
    if (!took) return took;
    if (i > 0) taken.push_back(*took);  // the first call stores the program
  }
  std::ranges::sort(taken);
  return taken[taken.size() / 2];
}

kinetic::Result<double> MeasureJobs(kinetic::Client& client, int count) {
  if (const auto stored = client.Run(&AddOne, 0); !stored) return kinetic::Failure(stored.error());
  std::vector<kinetic::Job> jobs;
  const double before = ProcessorMilliseconds();
  for (int i = 0; i < count; ++i) {
    auto job = client.Submit(kinetic::JobSpec::Call(&AddOne, i));
    if (!job) return kinetic::Failure(job.error());
    jobs.push_back(*std::move(job));
  }
  const double used = ProcessorMilliseconds() - before;
  if (const auto all = kinetic::WaitAll(jobs); !all) return kinetic::Failure(all.error());
  return used / count;
}

/// Returns the same numbers in every call.
Array RandomArray(std::size_t mebibytes) {
  const std::size_t size = (mebibytes << 20) / sizeof(float);
  Array array{std::vector<float>(size), {size}};
  std::minstd_rand random(1);
  for (float& item : array.items) item = static_cast<float>(random());
  return array;
}

bool IsRandom(const Array& array) {
  std::minstd_rand random(1);
  return std::ranges::all_of(array.items,
                             [&](float item) { return item == static_cast<float>(random()); });
}

kinetic::Result<double> MeasureArray(kinetic::Client& client, std::size_t mebibytes) {
  if (const auto stored = client.Run(&AddOne, 0); !stored) return kinetic::Failure(stored.error());
  Array array = RandomArray(mebibytes);
  kinetic::Result<Array> returned;
  auto took = Time([&]() -> const kinetic::Result<Array>& {
    return returned = client.Run(&Echo, std::move(array));
  });
  if (returned && !IsRandom(*returned))
    return kinetic::Fail(kinetic::ErrorCode::kDataLoss, "the array has changed");
  return took;
}

/// Writes a file, flushes it to the disk, and reads it into new memory.
bool WriteAndRead(const char* path, const Array& array) {
  const std::size_t size = array.items.size() * sizeof(float);
  const int file = ::open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  const auto all = [&](const auto& act, auto* data) {
    std::size_t done = 0;
    for (ssize_t count = 1; count > 0 && done < size; done += static_cast<std::size_t>(count))
      count = std::max<ssize_t>(act(file, data + done, size - done), 0);
    return done == size;
  };
  const bool written =
      all(&::write, reinterpret_cast<const char*>(array.items.data())) && ::fsync(file) == 0;
  ::lseek(file, 0, SEEK_SET);
  std::vector<float> read(array.items.size());
  const bool is_same = written && all(&::read, reinterpret_cast<char*>(read.data())) &&
                       read.front() == array.items.front();
  ::close(file);
  return is_same;
}

kinetic::Result<double> MeasureFiles(const char* path, std::size_t mebibytes) {
  const Array array = RandomArray(mebibytes);
  return Time([&]() -> kinetic::Status {
    for (int i = 0; i < 2; ++i) {
      if (!WriteAndRead(path, array))
        return kinetic::Fail(kinetic::ErrorCode::kUnavailable, "cannot write the file");
      ::unlink(path);
    }
    return {};
  });
}

}  // namespace

int main(int argc, char** argv) {
  kinetic::InitFunctions(argc, argv);
  const std::string_view verb = argc > 1 ? argv[1] : "call";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  auto client = kinetic::Client::Open(kinetic::LoadProfile());
  if (!client) return kinetic::Report(std::cerr, client.error()), 1;
  const auto measured = verb == "jobs"    ? MeasureJobs(*client, number)
                        : verb == "files" ? MeasureFiles(argv[3], static_cast<std::size_t>(number))
                        : verb == "array" ? MeasureArray(*client, static_cast<std::size_t>(number))
                                          : MeasureCall(*client);
  if (!measured) return kinetic::Report(std::cerr, measured.error()), 1;
  std::printf("%.2f\n", *measured);
  return 0;
}
