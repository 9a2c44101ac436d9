#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

/// Runs a program and writes its resource usage to a file as JSON.
///
///     measure FILE PROGRAM [ARGUMENT...]
///
/// This is a separate program because a process inherits the peak memory of its parent.
namespace {

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

int Report(const char* file, double wall, const rusage& usage) {
  std::FILE* out = std::fopen(file, "we");
  if (out == nullptr) return 1;
  (void)std::fprintf(out, R"({"wall": %.6f, "cpu": %.6f, "peak_bytes": %ld})", wall,
                     Seconds(usage.ru_utime) + Seconds(usage.ru_stime), usage.ru_maxrss << 10);
  return std::fclose(out) == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    (void)std::fputs("usage: measure FILE PROGRAM [ARGUMENT...]\n", stderr);
    return 2;
  }
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    ::execvp(argv[2], argv + 2);
    std::perror(argv[2]);
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) < 0) {
    std::perror("measure");
    return 1;
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  if (Report(argv[1], wall.count(), usage) != 0) return 1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
