#pragma once

#include "base/files/file_system.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace kinetic::test {

/// The real file system with injected failures.
class FaultyFileSystem final : public FileSystem {
 public:
  /// Decides about one operation: the errno to fail with, or nullopt. `index` counts operations
  /// that change something (open for writing, write, sync, rename, link, unlink, …) from 0, and
  /// with kReadsToo all others.
  using Plan = std::function<std::optional<int>(std::uint64_t index, std::string_view operation,
                                                const Path& path)>;

  /// Which operations are counted and can fail.
  enum class Reach : std::uint8_t { kChanges, kReadsToo };

  explicit FaultyFileSystem(Plan plan, Reach reach = Reach::kChanges)
      : plan_(std::make_shared<CountedPlan>(std::move(plan), reach)), real_(PosixFileSystem()) {}

  /// Returns the number of counted operations.
  std::uint64_t count() const { return plan_->count; }

  std::unique_ptr<FileSystem> Confined(const Path& root) override;
  Result<std::unique_ptr<FileSystem>> OpenConfined(const Path& root) override;

  Result<UniqueFd> Open(const Path& path, OpenMode mode, std::uint32_t permissions) override;
  Result<std::size_t> Read(int fd, std::span<char> buffer) override;
  Result<std::size_t> ReadAt(int fd, std::span<char> buffer, std::uint64_t offset) override;
  Status Write(int fd, std::string_view bytes) override;
  Status WriteAt(int fd, std::string_view bytes, std::uint64_t offset) override;
  Status Truncate(int fd, std::uint64_t size_bytes) override;
  Status Sync(int fd) override;
  Result<FileStatus> Fstat(int fd) override;
  Result<FileStatus> Lstat(const Path& path) override;
  Result<std::vector<std::optional<FileStatus>>> LstatAll(
      const Path& directory, std::span<const std::string> names) override;
  Result<std::vector<DirectoryEntry>> ReadDirectory(const Path& path) override;
  Result<std::string> ReadLink(const Path& path) override;
  Status MakeDirectory(const Path& path, std::uint32_t permissions) override;
  Status MakeSymlink(const std::string& target, const Path& path) override;
  Status Rename(const Path& from, const Path& to) override;
  Status Link(const Path& from, const Path& to) override;
  Status Unlink(const Path& path) override;
  Status RemoveDirectory(const Path& path) override;
  Status SetMode(const Path& path, std::uint32_t permissions) override;
  Status SetModifiedTime(const Path& path, WallTime time) override;

 private:
  /// Shared with the confined file systems.
  struct CountedPlan {
    CountedPlan(Plan plan, Reach counted) : decide(std::move(plan)), reach(counted) {}

    const Plan decide;
    const Reach reach;
    std::atomic<std::uint64_t> count = 0;
  };

  FaultyFileSystem(std::shared_ptr<CountedPlan> plan, std::unique_ptr<FileSystem> real)
      : plan_(std::move(plan)), confined_(std::move(real)), real_(*confined_) {}

  Status Consult(std::string_view operation, const Path& path);

  Status ConsultRead(std::string_view operation, const Path& path) {
    return plan_->reach == Reach::kReadsToo ? Consult(operation, path) : Status();
  }

  std::shared_ptr<CountedPlan> plan_;
  std::unique_ptr<FileSystem> confined_;
  FileSystem& real_;
};

}  // namespace kinetic::test
