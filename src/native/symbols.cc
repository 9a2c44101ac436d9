#include "native/symbols.h"

#include "kinetic/try.h"

#include "native/program_file.h"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace kinetic::inline v0::native {
namespace {

constexpr std::uint64_t kMaxTableBytes = 512U << 20;

/// A file that is loaded in this process.
struct LoadedFile {
  std::uintptr_t address = 0;  ///< to find
  std::string name;            ///< empty: the program
  std::uint64_t base = 0;
  bool found = false;
};

int FindLoaded(dl_phdr_info* info, std::size_t, void* data) {
  auto& wanted = *static_cast<LoadedFile*>(data);
  for (const auto& segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
    const std::uintptr_t start = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || wanted.address < start ||
        wanted.address - start >= segment.p_memsz)
      continue;
    wanted.name = info->dlpi_name;
    wanted.base = info->dlpi_addr;
    wanted.found = true;
    return 1;
  }
  return 0;
}

/// Reads an array of structures.
template <typename T>
Result<std::vector<T>> ReadTable(FileSystem& fs, int fd, std::uint64_t offset,
                                 std::uint64_t bytes) {
  if (bytes > kMaxTableBytes) return Fail(ErrorCode::kDataLoss, "the table is too large");
  std::vector<T> table(bytes / sizeof(T));
  const std::span<char> buffer(reinterpret_cast<char*>(table.data()), table.size() * sizeof(T));
  for (std::size_t done = 0; done < buffer.size();) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                             fs.ReadAt(fd, buffer.subspan(done), offset + done));
    if (count == 0) return Fail(ErrorCode::kDataLoss, "the file is truncated");
    done += count;
  }
  return table;
}

/// Returns the section with all symbols, or only those of the dynamic loader in a stripped file.
const Elf64_Shdr* FindSymbolTable(const std::vector<Elf64_Shdr>& sections) {
  for (const Elf64_Word type : {Elf64_Word{SHT_SYMTAB}, Elf64_Word{SHT_DYNSYM}}) {
    const auto found = std::ranges::find(sections, type, &Elf64_Shdr::sh_type);
    if (found != sections.end() && found->sh_link < sections.size()) return &*found;
  }
  return nullptr;
}

}  // namespace

std::string Demangle(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  if (demangled == nullptr) return name;
  std::string readable = demangled.get();
  constexpr std::string_view kVersioned = "kinetic::v0::";  // programs write kinetic::
  constexpr std::string_view kPlain = "kinetic::";
  for (std::size_t at = 0; (at = readable.find(kVersioned, at)) != std::string::npos;
       at += kPlain.size()) {
    if (at == 0 || (std::isalnum(static_cast<unsigned char>(readable[at - 1])) == 0 &&
                    readable[at - 1] != '_'))
      readable.replace(at, kVersioned.size(), kPlain);
  }
  return readable;
}

CodePlace Symbolizer::Find(std::uintptr_t address) {
  LoadedFile loaded{.address = address};
  ::dl_iterate_phdr(FindLoaded, &loaded);
  if (!loaded.found) return {.file = {}, .offset = address, .function = {}};
  CodePlace place{.file = loaded.name, .offset = address - loaded.base, .function = {}};
  if (loaded.name.empty()) {
    if (auto program = ProgramFile(fs_)) place.file = *std::move(program);
  }
  const Symbols& symbols = SymbolsOf(place.file);
  auto after = std::ranges::upper_bound(symbols, place.offset, {}, &Symbol::start);
  if (after == symbols.begin()) return place;
  const Symbol& symbol = *--after;
  if (place.offset - symbol.start < symbol.size) place.function = Demangle(symbol.name.c_str());
  return place;
}

const Symbolizer::Symbols& Symbolizer::SymbolsOf(const Path& file) {
  const auto known = files_.find(file);
  if (known != files_.end()) return known->second;
  auto read = ReadSymbols(file);
  return files_.emplace(file, read ? *std::move(read) : Symbols()).first->second;
}

Result<Symbolizer::Symbols> Symbolizer::ReadSymbols(const Path& file) const {
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_.Open(file, OpenMode::kRead, 0));
  KINETIC_ASSIGN_OR_RETURN(const auto header,
                           ReadTable<Elf64_Ehdr>(fs_, fd.get(), 0, sizeof(Elf64_Ehdr)));
  KINETIC_ASSIGN_OR_RETURN(
      const auto sections,
      ReadTable<Elf64_Shdr>(fs_, fd.get(), header[0].e_shoff,
                            std::uint64_t{header[0].e_shnum} * sizeof(Elf64_Shdr)));
  const Elf64_Shdr* table = FindSymbolTable(sections);
  if (table == nullptr) return Symbols();
  const Elf64_Shdr& texts = sections[table->sh_link];
  KINETIC_ASSIGN_OR_RETURN(const auto entries,
                           ReadTable<Elf64_Sym>(fs_, fd.get(), table->sh_offset, table->sh_size));
  KINETIC_ASSIGN_OR_RETURN(const auto names,
                           ReadTable<char>(fs_, fd.get(), texts.sh_offset, texts.sh_size));
  const std::string_view all(names.data(), names.size());
  Symbols symbols;
  for (const Elf64_Sym& entry : entries) {
    if (ELF64_ST_TYPE(entry.st_info) != STT_FUNC || entry.st_size == 0 ||
        entry.st_name >= all.size())
      continue;
    const std::string_view rest = all.substr(entry.st_name);
    symbols.push_back(
        {entry.st_value, entry.st_size, std::string(rest.substr(0, rest.find('\0')))});
  }
  std::ranges::sort(symbols, {}, &Symbol::start);
  return symbols;
}

}  // namespace kinetic::inline v0::native
