#include "runner/program/memory_limit.h"

#include "base/strings.h"
#include "local/process_identity.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace kinetic::runner {
namespace {

std::string ReadSmall(const Path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

bool WriteSmall(const Path& file, std::uint64_t number) {
  std::ofstream stream(file);
  stream << number << std::flush;
  return stream.good();
}

/// Returns the number after `key` in lines of "key number".
std::uint64_t CountOf(const std::string& text, std::string_view key) {
  for (const auto line : Split(text, '\n')) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') continue;
    return static_cast<std::uint64_t>(ParseInt(Trim(line.substr(key.size()))).value_or(0));
  }
  return 0;
}

std::uint64_t NumberIn(const Path& file) {
  return static_cast<std::uint64_t>(ParseInt(Trim(ReadSmall(file))).value_or(0));
}

/// The differences between the two versions of the memory controller.
struct CgroupFiles {
  const char* limit;
  const char* swap_limit;
  std::uint64_t swap_extra;  ///< version 1 limits memory and swap together, version 2 swap alone
  const char* peak;
  const char* events;
};

constexpr CgroupFiles kVersion1{"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", 1,
                                "memory.max_usage_in_bytes", "memory.oom_control"};
constexpr CgroupFiles kVersion2{"memory.max", "memory.swap.max", 0, "memory.peak", "memory.events"};

class Cgroup final : public MemoryLimit {
 public:
  Cgroup(Path folder, const CgroupFiles& files) : folder_(std::move(folder)), files_(files) {}
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  ~Cgroup() override { ::rmdir(folder_.c_str()); }

  /// Returns nullptr if it cannot be created or limited.
  static std::unique_ptr<MemoryLimit> Make(const Path& parent, std::string_view name,
                                           const CgroupFiles& files, std::uint64_t limit_bytes) {
    const Path folder = parent / name;
    if (::mkdir(folder.c_str(), 0755) < 0) return nullptr;
    auto cgroup = std::make_unique<Cgroup>(folder, files);
    if (!WriteSmall(folder / files.limit, limit_bytes)) return nullptr;
    WriteSmall(folder / files.swap_limit, files.swap_extra * limit_bytes);
    return cgroup;
  }

  Path EntryFile() const override { return folder_ / "cgroup.procs"; }
  bool Exceeded() override {
    exceeded_ = exceeded_ || CountOf(ReadSmall(folder_ / files_.events), "oom_kill") > 0;
    return exceeded_;
  }
  std::uint64_t PeakBytes() const override { return NumberIn(folder_ / files_.peak); }
  bool NeedsSampling() const override { return false; }

 private:
  const Path folder_;
  const CgroupFiles& files_;
  bool exceeded_ = false;
};

class Watchdog final : public MemoryLimit {
 public:
  explicit Watchdog(std::optional<std::uint64_t> limit_bytes) : limit_bytes_(limit_bytes) {}

  bool Exceeded() override {
    const auto processes = local::ProcessesOf({}, ::getpid());
    std::uint64_t used = Sum(processes, &PrivateBytes);
    // Pages shared after a fork are counted twice; divide them before comparing with the limit.
    if (limit_bytes_ && used > *limit_bytes_) used = Sum(processes, &ProportionalBytes);
    peak_bytes_ = std::max(peak_bytes_, used);
    exceeded_ = exceeded_ || (limit_bytes_ && used > *limit_bytes_);
    return exceeded_;
  }
  std::uint64_t PeakBytes() const override { return peak_bytes_; }
  bool NeedsSampling() const override { return limit_bytes_.has_value(); }

 private:
  static std::uint64_t Sum(const std::vector<local::Process>& processes,
                           std::uint64_t (*bytes)(pid_t)) {
    std::uint64_t sum = 0;
    for (const auto& process : processes) sum += bytes(process.pid);
    return sum;
  }

  static Path ProcFile(pid_t pid, const char* name) {
    return Path("/proc") / std::to_string(pid) / name;
  }

  /// Returns resident pages without those of files: a cheap estimate.
  static std::uint64_t PrivateBytes(pid_t pid) {
    const std::string text = ReadSmall(ProcFile(pid, "statm"));
    const auto fields = Split(text, ' ');
    if (fields.size() < 3) return 0;
    const std::int64_t pages = ParseInt(fields[1]).value_or(0) - ParseInt(fields[2]).value_or(0);
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, pages)) *
           static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  }

  /// Returns the memory with each page divided by the number of processes that share it.
  static std::uint64_t ProportionalBytes(pid_t pid) {
    const std::string text = ReadSmall(ProcFile(pid, "smaps_rollup"));
    for (const auto line : Split(text, '\n')) {
      if (!line.starts_with("Pss:")) continue;
      std::istringstream words{std::string(line.substr(4))};
      std::uint64_t kib = 0;
      words >> kib;
      return kib << 10;
    }
    return PrivateBytes(pid);
  }

  const std::optional<std::uint64_t> limit_bytes_;
  std::uint64_t peak_bytes_ = 0;
  bool exceeded_ = false;
};

/// The limit of this container, whose cgroup is the root that it sees.
class ContainerMemory final : public MemoryLimit {
 public:
  ContainerMemory(Path folder, const CgroupFiles& files)
      : folder_(std::move(folder)), files_(files), kills_(Kills()) {}

  bool Exceeded() override { return Kills() > kills_; }
  std::uint64_t PeakBytes() const override {
    return 0;
  }  // the peak of the container includes other processes
  bool NeedsSampling() const override { return false; }

 private:
  std::uint64_t Kills() const { return CountOf(ReadSmall(folder_ / files_.events), "oom_kill"); }

  const Path folder_;
  const CgroupFiles& files_;
  const std::uint64_t kills_;
};

/// The cgroups of this process: "4:memory:/a" (v1), "0::/b" (v2).
struct OwnCgroups {
  Path version1;
  Path version2;
};

OwnCgroups FindOwnCgroups() {
  OwnCgroups found;
  const std::string text = ReadSmall("/proc/self/cgroup");
  for (const auto line : Split(text, '\n')) {
    const auto fields = Split(line, ':');
    if (fields.size() < 3) continue;
    const Path relative = Path(fields[2]).relative_path();
    const auto controllers = Split(fields[1], ',');
    if (std::find(controllers.begin(), controllers.end(), "memory") != controllers.end()) {
      found.version1 = Path("/sys/fs/cgroup/memory") / relative;
    } else if (fields[1].empty()) {
      found.version2 = Path("/sys/fs/cgroup") / relative;
    }
  }
  return found;
}

}  // namespace

std::unique_ptr<MemoryLimit> MakeMemoryWatchdog(std::optional<std::uint64_t> limit_bytes) {
  return std::make_unique<Watchdog>(limit_bytes);
}

std::unique_ptr<MemoryLimit> MakeContainerMemory() {
  std::error_code ignored;
  const Path version1 = "/sys/fs/cgroup/memory";
  if (std::filesystem::is_directory(version1, ignored)) {
    return std::make_unique<ContainerMemory>(version1, kVersion1);
  }
  return std::make_unique<ContainerMemory>("/sys/fs/cgroup", kVersion2);
}

std::unique_ptr<MemoryLimit> MakeMemoryLimit(std::optional<std::uint64_t> limit_bytes,
                                             std::string_view name) {
  if (!limit_bytes) return MakeMemoryWatchdog(limit_bytes);
  const OwnCgroups own = FindOwnCgroups();
  std::unique_ptr<MemoryLimit> limit;
  if (!own.version1.empty()) limit = Cgroup::Make(own.version1, name, kVersion1, *limit_bytes);
  if (!limit && !own.version2.empty()) {
    limit = Cgroup::Make(own.version2, name, kVersion2, *limit_bytes);
  }
  if (!limit) limit = MakeMemoryWatchdog(limit_bytes);
  return limit;
}

}  // namespace kinetic::runner
