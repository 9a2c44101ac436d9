#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// The FIFO queue of all supervisors of a state folder.
///
/// Each job has a ticket, the file {state_dir}/queue/{number, 20 digits}-{id}. Its supervisor keeps
/// it locked (flock) until the job has ended. A ticket counts if it is locked and its supervisor
/// responds (local/pulse.h). A job may run when fewer than `concurrency` tickets that count have
/// smaller numbers.
namespace kinetic::local {

/// A place in the queue. The destructor releases it.
///
/// @threads  one thread at a time.
class QueueTicket {
 public:
  /// Takes the last place. Removes tickets of dead supervisors. The ticket may be passed on by fork:
  /// the process that does not run its destructor gives it up by closing its descriptors.
  static Result<QueueTicket> Take(FileSystem& fs, const Path& state_dir, std::string_view id);

  QueueTicket(QueueTicket&& other) noexcept;
  QueueTicket& operator=(QueueTicket&&) = delete;
  ~QueueTicket();

  /// Returns the number of jobs before this one. Only checks tickets until `concurrency` of them
  /// count, and counts all tickets after those, so that long queues are cheap.
  Result<std::size_t> CountAhead(std::uint32_t concurrency) const;

  /// Returns whether a later place in the queue is that of another job.
  Result<bool> IsAwaited() const;

  /// Waits until the job may run. Polls: seldom with many jobs before this one, or if the queue has
  /// not changed for a long time.
  ///
  /// @param waiting  called with the reason ("waiting for 2 jobs; concurrency is 1"), initially
  ///                 and after changes; not called if the job may run at once.
  /// @param pause    waits for that time, or less; an error ends the wait.
  /// @errors  those of `pause` and of FileSystem.
  Status Await(std::uint32_t concurrency, const std::function<void(std::string_view)>& waiting,
               const std::function<Status(std::chrono::milliseconds)>& pause) const;

 private:
  QueueTicket(FileSystem& fs, Path folder, std::string name, UniqueFd fd);

  /// The jobs before this one.
  struct Ahead {
    std::size_t count = 0;
    std::vector<std::string> first;  ///< the first tickets that count, at most `concurrency`
  };

  Result<Ahead> FindAhead(std::uint32_t concurrency) const;
  Result<bool> Counts(const std::string& name) const;
  Result<bool> AllCount(const std::vector<std::string>& names) const;

  FileSystem* fs_;
  Path folder_;
  std::string name_;
  UniqueFd fd_;
};

}  // namespace kinetic::local
