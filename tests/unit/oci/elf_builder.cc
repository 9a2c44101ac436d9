#include "elf_builder.h"

#include <elf.h>

namespace kinetic::oci {
namespace {

constexpr std::uint64_t kLoadAddress = 0x1000;

template <typename Structure>
void Append(std::string& bytes, const Structure& structure) {
  bytes.append(reinterpret_cast<const char*>(&structure), sizeof structure);
}

Elf64_Phdr Segment(std::uint32_t type, std::uint64_t offset, std::uint64_t size) {
  Elf64_Phdr segment{};
  segment.p_type = type;
  segment.p_offset = offset;
  segment.p_vaddr = kLoadAddress + offset;
  segment.p_filesz = segment.p_memsz = size;
  return segment;
}

}  // namespace

std::string BuildElf(const ElfSample& sample) {
  std::string strings(1, '\0');
  const auto text = [&](const std::string& each) {
    const std::uint64_t at = strings.size();
    strings += each;
    strings += '\0';
    return at;
  };
  std::vector<Elf64_Dyn> dynamic;
  for (const std::string& name : sample.needed) dynamic.push_back({DT_NEEDED, {text(name)}});
  if (!sample.rpath.empty()) dynamic.push_back({DT_RPATH, {text(sample.rpath)}});
  if (!sample.runpath.empty()) dynamic.push_back({DT_RUNPATH, {text(sample.runpath)}});
  const std::uint64_t segments = sample.interpreter.empty() ? 2 : 3;
  const std::uint64_t strings_at = sizeof(Elf64_Ehdr) + segments * sizeof(Elf64_Phdr);
  const std::uint64_t interpreter_at = strings_at + strings.size();
  const std::uint64_t dynamic_at = interpreter_at + sample.interpreter.size() + 1;
  dynamic.push_back({DT_STRTAB, {kLoadAddress + strings_at}});
  dynamic.push_back({DT_NULL, {0}});
  const std::uint64_t dynamic_size = dynamic.size() * sizeof(Elf64_Dyn);

  Elf64_Ehdr header{};
  for (std::size_t i = 0; i < SELFMAG; ++i)
    header.e_ident[i] = static_cast<unsigned char>(ELFMAG[i]);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = sample.machine;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = static_cast<Elf64_Half>(segments);
  header.e_shoff = dynamic_at + dynamic_size;
  header.e_shnum = 7;
  std::string bytes;
  Append(bytes, header);
  Append(bytes, Segment(PT_LOAD, 0, dynamic_at + dynamic_size));
  Append(bytes, Segment(PT_DYNAMIC, dynamic_at, dynamic_size));
  if (!sample.interpreter.empty())
    Append(bytes, Segment(PT_INTERP, interpreter_at, sample.interpreter.size() + 1));
  bytes += strings + sample.interpreter + '\0';
  for (const Elf64_Dyn& entry : dynamic) Append(bytes, entry);
  return bytes + sample.trailer;
}

}  // namespace kinetic::oci
