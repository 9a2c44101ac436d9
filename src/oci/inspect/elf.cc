#include "oci/inspect/elf.h"

#include "kinetic/try.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <elf.h>

#include <algorithm>
#include <optional>

namespace kinetic::oci {
namespace {

static_assert(kMachineAmd64 == EM_X86_64 && kMachineArm64 == EM_AARCH64);

constexpr std::size_t kMaxSegments = 1024;  // programs have about a dozen
constexpr std::size_t kMaxDynamicEntries = 65536;

/// Reads structures from a file with bounds checks.
class ElfReader {
 public:
  ElfReader(std::string_view file, std::string_view where) : file_(file), where_(where) {}

  Failure Malformed(std::string_view problem) const {
    return Fail(ErrorCode::kDataLoss, fmt::format("{}: damaged ELF file: {}", where_, problem));
  }

  template <typename Structure>
  Result<Structure> At(std::uint64_t offset, std::string_view what) const {
    KINETIC_ASSIGN_OR_RETURN(const std::string_view bytes, Bytes(offset, sizeof(Structure), what));
    Structure structure;
    bytes.copy(reinterpret_cast<char*>(&structure), sizeof structure);
    return structure;
  }

  Result<std::string_view> Bytes(std::uint64_t offset, std::uint64_t count,
                                 std::string_view what) const {
    if (offset > file_.size() || count > file_.size() - offset)
      return Malformed(fmt::format("the {} is beyond the end", what));
    return file_.substr(offset, count);
  }

  /// Reads a NUL-terminated string.
  Result<std::string> Text(std::uint64_t offset, std::string_view what) const {
    const auto end = offset < file_.size() ? file_.find('\0', offset) : std::string_view::npos;
    if (end == std::string_view::npos)
      return Malformed(fmt::format("the {} is not terminated", what));
    return std::string(file_.substr(offset, end - offset));
  }

 private:
  std::string_view file_;
  std::string_view where_;
};

Result<Elf64_Ehdr> ReadHeader(const ElfReader& reader, std::string_view file,
                              std::string_view where) {
  if (!file.starts_with(std::string_view(ELFMAG, SELFMAG)) || file.size() < EI_NIDENT)
    return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: not an ELF file", where));
  if (file[EI_CLASS] != ELFCLASS64 || file[EI_DATA] != ELFDATA2LSB)
    return Fail(ErrorCode::kUnimplemented,
                fmt::format("{}: not a 64-bit little-endian ELF file", where));
  KINETIC_ASSIGN_OR_RETURN(const auto header, reader.At<Elf64_Ehdr>(0, "header"));
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: neither an ELF program nor a shared library", where));
  if (header.e_phentsize != sizeof(Elf64_Phdr))
    return reader.Malformed("unexpected size of program headers");
  if (header.e_phnum > kMaxSegments) return reader.Malformed("too many segments");
  return header;
}

/// The segments of a file, which map addresses to file offsets.
class Segments {
 public:
  static Result<Segments> Read(const ElfReader& reader, const Elf64_Ehdr& header) {
    Segments segments;
    for (std::size_t i = 0; i < header.e_phnum; ++i) {
      const std::uint64_t offset = i * sizeof(Elf64_Phdr);
      if (header.e_phoff > UINT64_MAX - offset)
        return reader.Malformed("program headers out of range");
      KINETIC_ASSIGN_OR_RETURN(const auto segment,
                               reader.At<Elf64_Phdr>(header.e_phoff + offset, "segment table"));
      KINETIC_RETURN_IF_ERROR(reader.Bytes(segment.p_offset, segment.p_filesz, "segment"));
      segments.all_.push_back(segment);
    }
    return segments;
  }

  const Elf64_Phdr* Find(std::uint32_t type) const {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [&](const Elf64_Phdr& each) { return each.p_type == type; });
    return found == all_.end() ? nullptr : &*found;
  }

  /// Returns the file offset of an address.
  std::optional<std::uint64_t> OffsetOf(std::uint64_t address) const {
    for (const Elf64_Phdr& each : all_) {
      if (each.p_type == PT_LOAD && address >= each.p_vaddr &&
          address - each.p_vaddr < each.p_filesz)
        return each.p_offset + (address - each.p_vaddr);
    }
    return {};
  }

  std::uint64_t End() const {
    std::uint64_t end = 0;
    for (const Elf64_Phdr& each : all_)
      if (each.p_filesz > 0) end = std::max(end, each.p_offset + each.p_filesz);
    return end;
  }

 private:
  std::vector<Elf64_Phdr> all_;
};

/// The dynamic section. Values are offsets in the string table.
struct Dynamic {
  std::optional<std::uint64_t> strings;
  std::vector<std::uint64_t> needed;
  std::optional<std::uint64_t> rpath, runpath;
};

Result<Dynamic> ReadDynamic(const ElfReader& reader, const Elf64_Phdr& segment) {
  Dynamic dynamic;
  const std::uint64_t count = segment.p_filesz / sizeof(Elf64_Dyn);
  if (count > kMaxDynamicEntries) return reader.Malformed("dynamic section too large");
  for (std::uint64_t i = 0; i < count; ++i) {
    KINETIC_ASSIGN_OR_RETURN(
        const auto entry,
        reader.At<Elf64_Dyn>(segment.p_offset + i * sizeof(Elf64_Dyn), "dynamic section"));
    if (entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) dynamic.strings = entry.d_un.d_ptr;
    if (entry.d_tag == DT_NEEDED) dynamic.needed.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_RPATH) dynamic.rpath = entry.d_un.d_val;
    if (entry.d_tag == DT_RUNPATH) dynamic.runpath = entry.d_un.d_val;
  }
  return dynamic;
}

Status ReadNames(const ElfReader& reader, const Segments& segments, const Dynamic& dynamic,
                 Elf& elf) {
  const auto path = dynamic.runpath ? dynamic.runpath : dynamic.rpath;
  elf.inherits_run_path = !dynamic.runpath;
  if (dynamic.needed.empty() && !path) return {};
  const auto strings = segments.OffsetOf(dynamic.strings.value_or(0));
  if (!dynamic.strings || !strings) return reader.Malformed("no string table");
  const auto text = [&](std::uint64_t offset, std::string_view what) -> Result<std::string> {
    if (offset > UINT64_MAX - *strings) return reader.Malformed("string out of range");
    return reader.Text(*strings + offset, what);
  };
  for (const std::uint64_t name : dynamic.needed) {
    KINETIC_ASSIGN_OR_RETURN(elf.needed.emplace_back(), text(name, "name of a library"));
  }
  if (!path) return {};
  KINETIC_ASSIGN_OR_RETURN(const std::string folders, text(*path, "search path"));
  for (const std::string_view folder : Split(folders, ':')) elf.run_path.emplace_back(folder);
  return {};
}

}  // namespace

Result<Elf> ReadElf(std::string_view file, std::string_view where) {
  const ElfReader reader(file, where);
  KINETIC_ASSIGN_OR_RETURN(const Elf64_Ehdr header, ReadHeader(reader, file, where));
  KINETIC_ASSIGN_OR_RETURN(const Segments segments, Segments::Read(reader, header));
  Elf elf{.machine = header.e_machine};
  const std::uint64_t table_bytes = header.e_phnum * sizeof(Elf64_Phdr);
  elf.loaded_bytes = std::max(
      {segments.End(), sizeof(Elf64_Ehdr), header.e_phnum == 0 ? 0 : header.e_phoff + table_bytes});
  if (const Elf64_Phdr* interpreter = segments.Find(PT_INTERP)) {
    KINETIC_ASSIGN_OR_RETURN(elf.interpreter, reader.Text(interpreter->p_offset, "loader's name"));
  }
  if (const Elf64_Phdr* section = segments.Find(PT_DYNAMIC)) {
    KINETIC_ASSIGN_OR_RETURN(const Dynamic dynamic, ReadDynamic(reader, *section));
    KINETIC_RETURN_IF_ERROR(ReadNames(reader, segments, dynamic, elf));
  }
  return elf;
}

Result<std::string> StripElf(std::string_view file, std::string_view where) {
  KINETIC_ASSIGN_OR_RETURN(const Elf elf, ReadElf(file, where));
  std::string stripped(file.substr(0, elf.loaded_bytes));
  Elf64_Ehdr header;
  stripped.copy(reinterpret_cast<char*>(&header), sizeof header);
  header.e_shoff = 0;
  header.e_shnum = 0;
  header.e_shstrndx = SHN_UNDEF;
  stripped.replace(0, sizeof header, reinterpret_cast<const char*>(&header), sizeof header);
  return stripped;
}

}  // namespace kinetic::oci
