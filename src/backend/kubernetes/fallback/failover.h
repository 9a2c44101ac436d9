#pragma once

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "base/time/clock.h"
#include "kube/client.h"
#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// A job goes over to the next accelerator of its list: its Job is removed, and another one of the
/// same name takes its place. What takes its place is in the store while neither is there, so that
/// a client that dies in between leaves it to the next one that asks after the job.

namespace kinetic::backend {

/// How long a job with several accelerators still waits for the one that its Job is made for.
struct Patience {
  bool is_over = false;           ///< the next accelerator is to be tried
  std::string reason;             ///< why this one cannot be had, for people
  std::optional<WallTime> until;  ///< when it is over if nothing changes; absent: not by itself
};

/// An accelerator is given up at once when the autoscaler says that it cannot be had, after a
/// moment in which nobody offers to make a node where there is none of its kind, and after the
/// Job's own patience where it is there and busy; a node that is being made is waited for. A pod
/// that has a node keeps it, and the last accelerator is waited for to the end. Pure.
Patience PatienceWith(const PodSituation& situation);

/// A job on a cluster that may change its accelerator; the members outlive it.
struct MovingJob {
  const kube::Client& client;
  std::string_view name_space;
  store::Store& store;
  Clock& clock;
  std::string_view id;
};

/// Gives the accelerator of a job up and makes its Job for the next one. Several clients may do so
/// at once; a job that somebody wants ended is not made anew.
///
/// @param observed  the Job, and its pods, none of which has been given a node.
/// @param reason    why, for people.
/// @returns         false: a pod has been given a node, or is another one by now; whoever watches
/// the
///                  job sees which, and tries again or does not.
/// @errors          kFailedPrecondition: no accelerator is left · those of the API server and the
///                  store.
Result<bool> MoveOn(const MovingJob& job, const Observed& observed, std::string_view reason,
                    std::stop_token stop);

/// Makes the Job of a move that was broken off; to be called where a job has no Job. False: there
/// was no such move, or the job is to end.
Result<bool> FinishMove(const MovingJob& job, std::stop_token stop);

/// Forgets a move of a job that has ended: who made it may have died before that.
Status ForgetMove(store::Store& store, std::string_view id, std::stop_token stop);

}  // namespace kinetic::backend
