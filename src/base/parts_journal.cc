#include "base/parts_journal.h"

#include "base/strings.h"
#include "base/try.h"

#include <optional>
#include <utility>

namespace kinetic {
namespace {

constexpr std::uint64_t kJournalBytes = 256U << 20;

std::string LineOf(std::uint64_t part, const PartsJournal::Noted& noted) {
  return std::to_string(part) + " " + std::to_string(noted.bytes) + " " +
         std::to_string(noted.checksum.value()) + ".\n";
}

std::optional<std::uint64_t> NumberIn(std::string_view word) {
  const auto number = ParseInt(word);
  if (!number || *number < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

/// "7 1048576 123456." of LineOf; the point shows that the line is complete.
std::optional<std::pair<std::uint64_t, PartsJournal::Noted>> PartIn(std::string_view line) {
  const auto words = Split(line, ' ');
  if (words.size() != 3 || !words[2].ends_with('.')) return std::nullopt;
  const auto part = NumberIn(words[0]);
  const auto bytes = NumberIn(words[1]);
  const auto sum = NumberIn(words[2].substr(0, words[2].size() - 1));
  if (!part || !bytes || !sum || *sum > UINT32_MAX) return std::nullopt;
  return std::pair{*part, PartsJournal::Noted{*bytes, Crc32c(static_cast<std::uint32_t>(*sum))}};
}

}  // namespace

Result<std::map<std::uint64_t, PartsJournal::Noted>> PartsJournal::Load() {
  std::map<std::uint64_t, Noted> parts;
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
  const OpenMode mode = goes_on_ ? OpenMode::kAppend : OpenMode::kTruncate;
  KINETIC_ASSIGN_OR_RETURN(file_, fs_->Open(path_, mode, 0644));
  // What is gone on with may end with a line that was cut short.
  return fs_->Write(file_.get(), goes_on_ ? "\n" : identity_ + "\n");
}

Status PartsJournal::Add(std::uint64_t part, const Noted& noted) {
  const std::lock_guard lock(mutex_);
  if (!file_) KINETIC_RETURN_IF_ERROR(Start());
  return fs_->Write(file_.get(), LineOf(part, noted));
}

Status PartsJournal::Remove() {
  file_ = {};
  goes_on_ = false;
  auto removed = fs_->Unlink(path_);
  if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  return {};
}

}  // namespace kinetic
