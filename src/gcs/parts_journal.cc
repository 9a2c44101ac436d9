#include "gcs/parts_journal.h"

#include "base/strings.h"
#include "base/try.h"

namespace kinetic::gcs {
namespace {

constexpr std::uint64_t kJournalBytes = 64U << 20;

std::string LineOf(std::uint64_t part, Crc32c checksum) {
  return std::to_string(part) + " " + std::to_string(checksum.value()) + ".\n";
}

/// "7 123456." of LineOf; the point shows that the line is complete.
std::optional<std::pair<std::uint64_t, Crc32c>> PartIn(std::string_view line) {
  const auto words = Split(line, ' ');
  if (words.size() != 2 || !words[1].ends_with('.')) return std::nullopt;
  const auto part = ParseInt(words[0]);
  const auto sum = ParseInt(words[1].substr(0, words[1].size() - 1));
  if (!part || *part < 0 || !sum || *sum < 0 || *sum > UINT32_MAX) return std::nullopt;
  return std::pair{static_cast<std::uint64_t>(*part), Crc32c(static_cast<std::uint32_t>(*sum))};
}

}  // namespace

Result<std::map<std::uint64_t, Crc32c>> PartsJournal::Load() {
  std::map<std::uint64_t, Crc32c> parts;
  const auto text = ReadFile(*fs_, path_, kJournalBytes);
  if (!text && text.error().code == ErrorCode::kNotFound) return parts;
  if (!text) return Failure(text.error());
  const auto lines = Split(*text, '\n');
  if (lines.size() < 2 || lines.front() != identity_) return parts;
  goes_on_ = true;
  for (const std::string_view line : lines) {
    if (const auto part = PartIn(line)) parts.insert_or_assign(part->first, part->second);
  }
  return parts;
}

Status PartsJournal::Start() {
  if (goes_on_) {
    KINETIC_ASSIGN_OR_RETURN(file_, fs_->Open(path_, OpenMode::kAppend, 0644));
    return fs_->Write(file_.get(), "\n");  // after a line that may have been cut short
  }
  KINETIC_ASSIGN_OR_RETURN(file_, fs_->Open(path_, OpenMode::kTruncate, 0644));
  return fs_->Write(file_.get(), identity_ + "\n");
}

Status PartsJournal::Add(std::uint64_t part, Crc32c checksum) {
  const std::lock_guard lock(mutex_);
  return fs_->Write(file_.get(), LineOf(part, checksum));
}

Status PartsJournal::Remove() {
  file_ = {};
  goes_on_ = false;
  auto removed = fs_->Unlink(path_);
  if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  return {};
}

}  // namespace kinetic::gcs
