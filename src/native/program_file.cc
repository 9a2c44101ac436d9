#include "native/program_file.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <link.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinetic::inline v0::native {
namespace {

constexpr std::uint64_t kMaxMapsBytes = 64U << 20;
constexpr std::string_view kDeleted = " (deleted)";

int TakeFirst(dl_phdr_info* info, std::size_t, void* address) {
  *static_cast<std::uintptr_t*>(address) = reinterpret_cast<std::uintptr_t>(info->dlpi_phdr);
  return 1;  // the first one is the program
}

std::uintptr_t Hexadecimal(std::string_view text) {
  std::uintptr_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return number;
}

/// Returns the file of a line of /proc/self/maps if it contains the address: "start-end mode offset
/// device inode   path".
std::string_view FileAt(std::string_view line, std::uintptr_t address) {
  const std::size_t dash = line.find('-');
  const std::size_t space = line.find(' ');
  if (dash == std::string_view::npos || space == std::string_view::npos || dash > space) return {};
  const std::uintptr_t end = Hexadecimal(line.substr(dash + 1, space - dash - 1));
  if (address < Hexadecimal(line.substr(0, dash)) || address >= end) return {};
  const std::size_t path = line.find('/');
  return path == std::string_view::npos ? std::string_view() : line.substr(path);
}

}  // namespace

Result<Path> ProgramFile(FileSystem& fs) {
  std::uintptr_t headers = 0;
  ::dl_iterate_phdr(TakeFirst, &headers);
  KINETIC_ASSIGN_OR_RETURN(const std::string maps, ReadFile(fs, "/proc/self/maps", kMaxMapsBytes));
  for (const std::string_view line : Split(maps, '\n')) {
    const std::string_view file = FileAt(line, headers);
    if (file.empty()) continue;
    if (!file.ends_with(kDeleted)) return Path(file);
    return Fail(ErrorCode::kFailedPrecondition,
                "the program " + std::string(file.substr(0, file.size() - kDeleted.size())) +
                    " was replaced or removed after it started",
                "start the program again");
  }
  return Fail(ErrorCode::kInternal, "cannot find the file of this program in /proc/self/maps");
}

}  // namespace kinetic::inline v0::native
