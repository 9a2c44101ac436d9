#pragma once

#include "kinetic/result.h"

#include "record/job_record.h"
#include "store/object_store.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

/// The arguments of all tasks of an array: one arguments document a line, in a record or in the object
/// jobs/{id}/arguments/{nonce}. The object begins with one row of fixed width for each task, which has
/// the end and the digest of the task's line, so that a task reads its row and its line by range.
namespace kinetic::record {

/// Returns the lines as they are stored in a record.
std::string JoinArgumentLines(const std::vector<std::string>& lines);

/// Returns the content of the object.
std::string TaskArgumentsObject(const std::vector<std::string>& lines);

/// Returns one of the lines in a record.
/// @errors  kDataLoss: there are fewer.
Result<std::string> ArgumentsLine(std::string_view lines, std::uint32_t task);

/// Returns the arguments document of a task from the store. Two requests.
///
/// @param task  the record of a task without inline arguments.
/// @errors      kDataLoss: missing or damaged · errors of Store.
Result<std::string> ReadTaskArguments(store::Store& store, const Record& task,
                                      std::stop_token stop);

/// Returns the arguments documents of all tasks, in order. One request.
///
/// @param job  the record of an array with arguments_by_task.
/// @errors     kDataLoss: missing, or different from the digest in the record · errors of Store.
Result<std::vector<std::string>> ReadAllTaskArguments(store::Store& store, const Record& job,
                                                      std::stop_token stop);

}  // namespace kinetic::record
