#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

/// The FIFO queue of all supervisors of a state folder.
///
/// Each job has a ticket, the file {state_dir}/queue/{number, 20 digits}-{id}. Its supervisor keeps
/// it locked (flock) until the job has ended. An unlocked ticket belongs to a dead supervisor and
/// does not count. A job may run when fewer than `concurrency` locked tickets have smaller numbers.
namespace kinetic::local {

/// A place in the queue. The destructor releases it.
///
/// @threads  one thread at a time.
class QueueTicket {
 public:
  /// Takes the last place. Removes tickets of dead supervisors.
  static Result<QueueTicket> Take(FileSystem& fs, const Path& state_dir, std::string_view id);

  QueueTicket(QueueTicket&& other) noexcept;
  QueueTicket& operator=(QueueTicket&&) = delete;
  ~QueueTicket();

  /// Returns the number of jobs before this one. Only counts locked tickets until there are
  /// `concurrency` of them, and all tickets after those, so that long queues are cheap.
  Result<std::size_t> CountAhead(std::uint32_t concurrency) const;

  /// Waits until the job may run. With many tickets before it, even of dead supervisors, the job
  /// checks the queue at most once a second.
  ///
  /// @param waiting  called with the reason ("waiting for 2 jobs"), initially and after
  ///                 changes; not called if the job may run at once.
  /// @errors  kCancelled · those of FileSystem.
  Status Await(std::uint32_t concurrency, const std::function<void(std::string_view)>& waiting,
               std::stop_token stop) const;

 private:
  QueueTicket(FileSystem& fs, Path folder, std::string name, UniqueFd fd);

  FileSystem* fs_;
  Path folder_;
  std::string name_;
  UniqueFd fd_;
};

}  // namespace kinetic::local
