#include "support/damage.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace kinetic::test {
namespace {

long PeakMebibytes() {
  struct rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >> 10;
}

}  // namespace

void ForEachDamage(
    std::string_view bytes,
    const std::function<void(const std::string& damaged, const std::string& how)>& each) {
  const std::string whole(bytes);
  const auto pass_on = [&](const std::string& damaged, const std::string& how, std::size_t at) {
    if (damaged != whole) each(damaged, how + " at byte " + std::to_string(at));
  };
  constexpr std::size_t kBlock = 16;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (const int flip : {0x01, 0x02, 0x10, 0x20, 0x80, 0xFF}) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ flip);
      pass_on(damaged, "flipped by " + std::to_string(flip), i);
    }
    pass_on(whole.substr(0, i), "cut", i);
    std::string damaged = whole;
    if (i + 1 < whole.size()) std::swap(damaged[i], damaged[i + 1]);
    pass_on(damaged, "swapped with its neighbour", i);
    pass_on(whole.substr(0, i) + whole.substr(i + 1), "left out", i);
    if (i % kBlock != 0) continue;
    const std::string block = whole.substr(i, kBlock);
    pass_on(std::string(whole).insert(i, block), "a block twice", i);
    pass_on(std::string(whole).replace(i, block.size(), block.size(), '\0'), "zeros", i);
    if (i + 2 * kBlock > whole.size()) continue;
    damaged = whole;
    std::swap_ranges(damaged.begin() + static_cast<long>(i),
                     damaged.begin() + static_cast<long>(i + kBlock),
                     damaged.begin() + static_cast<long>(i + kBlock));
    pass_on(damaged, "blocks swapped", i);
  }
  for (const std::string_view behind : {std::string_view("\0", 1), std::string_view("x"),
                                        std::string_view("}"), std::string_view(" ")}) {
    pass_on(whole + std::string(behind), "something behind", whole.size());
  }
  pass_on(whole + whole, "all twice", whole.size());
}

long PeakMemoryOf(const std::function<bool()>& work) {
  int pipe[2];
  if (::pipe(pipe) != 0) return -1;
  const pid_t child = ::fork();
  if (child == 0) {
    const long before = PeakMebibytes();
    const long grown = work() ? PeakMebibytes() - before : -1;
    (void)!::write(pipe[1], &grown, sizeof grown);
    ::_exit(0);
  }
  ::close(pipe[1]);
  long grown = -1;
  if (child < 0 || ::read(pipe[0], &grown, sizeof grown) != sizeof grown) grown = -1;
  ::close(pipe[0]);
  if (child > 0) ::waitpid(child, nullptr, 0);
  return grown;
}

bool MemoryIsMeasurable() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return false;
#else
  return true;
#endif
}

}  // namespace kinetic::test
