#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

/// The queue of one machine: first come, first served, over all supervisors of a state folder.
///
/// Each job has a ticket, a file {state_dir}/queue/{number, 20 digits}-{id} that its supervisor
/// keeps locked (flock) from the moment it waits until its job has ended. A ticket nobody has
/// locked belongs to a dead supervisor and does not count. A job may run when fewer than
/// `concurrency` living tickets have smaller numbers; numbers only grow, so no more than that run
/// at once, and nobody is overtaken.
namespace kinetic::local {

/// A place in the queue, given up when the object goes.
///
/// @threads  one thread at a time.
class QueueTicket {
 public:
  /// Takes the last place. Removes the tickets of dead supervisors.
  static Result<QueueTicket> Take(FileSystem& fs, const Path& state_dir, std::string_view id);

  QueueTicket(QueueTicket&& other) noexcept;
  QueueTicket& operator=(QueueTicket&&) = delete;
  ~QueueTicket();

  /// How many living tickets are before this one.
  Result<std::size_t> Ahead() const;

  /// Waits until the job may run. Wakes when a ticket goes or its owner dies.
  ///
  /// @param waiting  told how many jobs must end first, at the beginning and whenever that changes;
  ///                 not called when there is nothing to wait for.
  /// @errors  kCancelled · those of FileSystem.
  Status Await(std::uint32_t concurrency, const std::function<void(std::size_t)>& waiting,
               std::stop_token stop) const;

 private:
  QueueTicket(FileSystem& fs, Path folder, std::string name, UniqueFd fd);

  FileSystem* fs_;
  Path folder_;
  std::string name_;
  UniqueFd fd_;
};

}  // namespace kinetic::local
