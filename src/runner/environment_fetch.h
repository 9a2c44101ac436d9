#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "bundle/unpack.h"
#include "record/record.h"
#include "runner/fetch_board.h"
#include "store/store.h"

#include <stop_token>

namespace kinetic::runner {

/// Whether the packages of a job are in a folder of its pod, complete, because a collector of this
/// pod was here before: a file beside it says so.
bool HasEnvironment(FileSystem& fs, const record::PodEnvironment& environment, const Path& folder);

/// Whether what is written into a folder lies in memory.
bool IsInMemory(const Path& folder);

/// Lays them down there, for the launcher to make a virtual environment of.
///
/// @param folder  made anew.
/// @errors  those of bundle::Unpack and FileSystem.
Result<bundle::UnpackReport> FetchEnvironment(store::Store& store, FileSystem& fs,
                                              const record::PodEnvironment& environment,
                                              const Path& folder, FetchBoard::Fetch& shown,
                                              std::stop_token stop);

}  // namespace kinetic::runner
