#include "kinetic/try.h"

#include "base/strings.h"
#include "oci/layer/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kinetic::oci {
namespace {

constexpr std::size_t kBlockBytes = 512;
constexpr std::size_t kNameBytes = 100;
constexpr std::uint64_t kFirstLargeSize = std::uint64_t{8} << 30;
constexpr std::string_view kPaxName = "././@PaxHeader";

class Header {
 public:
  Header(std::string_view name, char type, std::uint32_t mode, std::uint64_t size_bytes) {
    Text(0, name);
    Octal(100, 8, mode);
    Octal(108, 8, 0);  // uid
    Octal(116, 8, 0);  // gid
    Octal(124, 12, size_bytes);
    Octal(136, 12, 0);  // mtime
    block_[156] = type;
    Text(257, std::string_view("ustar\00000", 8));
    Octal(329, 8, 0);  // device numbers
    Octal(337, 8, 0);
  }

  void Target(std::string_view target) { Text(157, target); }

  std::string_view Bytes() {
    std::fill_n(block_.begin() + 148, 8, ' ');  // the checksum field counts as spaces
    unsigned sum = 0;
    for (const char byte : block_) sum += static_cast<unsigned char>(byte);
    Text(148, fmt::format("{:06o}", sum));
    block_[154] = '\0';
    return {block_.data(), block_.size()};
  }

 private:
  void Text(std::size_t at, std::string_view text) {
    std::copy(text.begin(), text.end(), block_.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void Octal(std::size_t at, std::size_t width, std::uint64_t number) {
    Text(at, fmt::format("{:0{}o}", number, width - 1));
  }

  std::array<char, kBlockBytes> block_{};
};

bool FitsHeader(std::string_view text) {
  return text.size() <= kNameBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// "LENGTH KEY=VALUE\n", where LENGTH counts its own digits too.
std::string PaxRecord(std::string_view key, std::string_view value) {
  const std::size_t rest = key.size() + value.size() + 3;
  std::size_t length = rest + 1;
  while (rest + fmt::formatted_size("{}", length) != length)
    length = rest + fmt::formatted_size("{}", length);
  return fmt::format("{} {}={}\n", length, key, value);
}

char TypeOf(Entry::Kind kind) {
  switch (kind) {
    case Entry::Kind::kFolder:
      return '5';
    case Entry::Kind::kSymlink:
      return '2';
    case Entry::Kind::kFile:
      break;
  }
  return '0';
}

std::uint64_t PaddingOf(std::uint64_t size_bytes) {
  return (kBlockBytes - size_bytes % kBlockBytes) % kBlockBytes;
}

/// Returns a placeholder for text that is in a pax record.
std::string_view HeaderText(std::string_view text) {
  return FitsHeader(text) ? text : std::string_view("-");
}

}  // namespace

Status TarWriter::BeginEntry(const Entry& entry, std::uint64_t size_bytes) {
  KINETIC_RETURN_IF_ERROR(EndEntry());
  const std::string name = entry.kind == Entry::Kind::kFolder ? entry.path + '/' : entry.path;
  std::string records;
  if (!IsUtf8(name) || !IsUtf8(entry.target)) records += PaxRecord("hdrcharset", "BINARY");
  if (!FitsHeader(name)) records += PaxRecord("path", name);
  if (!FitsHeader(entry.target)) records += PaxRecord("linkpath", entry.target);
  const bool large = size_bytes >= kFirstLargeSize;
  if (large) records += PaxRecord("size", fmt::format("{}", size_bytes));
  if (!records.empty()) KINETIC_RETURN_IF_ERROR(WritePaxHeader(records));

  Header header(HeaderText(name), TypeOf(entry.kind), entry.mode, large ? 0 : size_bytes);
  header.Target(HeaderText(entry.target));
  left_ = size_bytes;
  padding_ = PaddingOf(size_bytes);
  return sink_(header.Bytes());
}

Status TarWriter::WritePaxHeader(std::string_view records) {
  Header header(kPaxName, 'x', 0, records.size());
  KINETIC_RETURN_IF_ERROR(sink_(header.Bytes()));
  KINETIC_RETURN_IF_ERROR(sink_(records));
  return sink_(std::string(PaddingOf(records.size()), '\0'));
}

Status TarWriter::WriteContent(std::string_view bytes) {
  if (bytes.size() > left_)
    return Fail(ErrorCode::kInternal, "tar: content exceeds the declared size");
  left_ -= bytes.size();
  return sink_(bytes);
}

Status TarWriter::EndEntry() {
  if (left_ != 0)
    return Fail(ErrorCode::kInternal, "tar: content is shorter than the declared size");
  if (padding_ == 0) return {};
  const std::string padding(padding_, '\0');
  padding_ = 0;
  return sink_(padding);
}

Status TarWriter::Finish() {
  KINETIC_RETURN_IF_ERROR(EndEntry());
  return sink_(std::string(2 * kBlockBytes, '\0'));
}

}  // namespace kinetic::oci
