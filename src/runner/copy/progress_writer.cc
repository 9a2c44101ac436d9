#include "runner/copy/progress_writer.h"

#include "record/copy.h"
#include "record/object_names.h"

#include <chrono>
#include <utility>

namespace kinetic::runner {
namespace {

/// Cloud Storage rejects a second change of an object within a second.
constexpr std::chrono::seconds kProgressInterval{2};

std::string ProgressJson(const record::JobKey& job, std::uint64_t done, std::uint64_t total) {
  return ToJson(record::CopyProgress{.job = job, .done_bytes = done, .total_bytes = total});
}

}  // namespace

Result<std::optional<store::ObjectInfo>> CopyProgressWriter::Claim(store::Store& store,
                                                                   const Names& names,
                                                                   const std::stop_token& stop) {
  return store::PutBytes(store, record::CopyProgressName(names.job.id, names.request),
                         ProgressJson(names.job, 0, 0), store::Precondition::Absent(), stop);
}

CopyProgressWriter::CopyProgressWriter(store::Store& store, Clock& clock, Names names,
                                       store::ObjectInfo claim, const CopyCounter& counter)
    : store_(store),
      clock_(clock),
      names_(std::move(names)),
      counter_(counter),
      stored_(std::move(claim)),
      thread_([this](const std::stop_token& stop) { Work(stop); }) {}

CopyProgressWriter::~CopyProgressWriter() = default;

void CopyProgressWriter::Work(const std::stop_token& stop) {
  const std::string request = record::CopyRequestName(names_.job.id, names_.request);
  while (clock_.Sleep(kProgressInterval, stop)) {
    const auto there = store_.Stat(request, stop);
    if (there && !*there) {
      abandoned_.request_stop();
      return;
    }
    Write(stop);
  }
}

void CopyProgressWriter::Write(const std::stop_token& stop) {
  const std::string json = ProgressJson(names_.job, counter_.done_bytes, counter_.total_bytes);
  auto put = store::PutBytes(store_, stored_.name, json,
                             store::Precondition::Generation(stored_.generation), stop);
  if (!put) return;
  if (!*put) put = store_.Stat(stored_.name, stop);  // the response of an earlier write was lost
  if (put && *put) stored_ = **std::move(put);
}

}  // namespace kinetic::runner
