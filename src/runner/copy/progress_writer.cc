#include "runner/copy/progress_writer.h"

#include "record/copy.h"
#include "record/object_names.h"

#include <chrono>
#include <utility>

namespace kinetic::runner {
namespace {

/// Cloud Storage rejects a second change of an object within a second.
constexpr std::chrono::seconds kProgressInterval{2};

}  // namespace

CopyProgressWriter::CopyProgressWriter(store::Store& store, Clock& clock, Names names,
                                       const CopyCounter& counter)
    : store_(store),
      clock_(clock),
      names_(std::move(names)),
      counter_(counter),
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
  const std::string json = ToJson(record::CopyProgress{
      .job = names_.job, .done_bytes = counter_.done_bytes, .total_bytes = counter_.total_bytes});
  const std::string name = record::CopyProgressName(names_.job.id, names_.request);
  const auto precondition = stored_ ? store::Precondition::Generation(stored_->generation)
                                    : store::Precondition::Absent();
  auto put = store::PutBytes(store_, name, json, precondition, stop);
  if (!put) return;
  if (!*put) put = store_.Stat(name, stop);  // the response of an earlier write was lost
  if (put) stored_ = *std::move(put);
}

}  // namespace kinetic::runner
