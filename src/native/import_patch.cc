#include "native/import_patch.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <span>

namespace kinetic::inline v0::native {
namespace {

struct Import {
  const char* name;
  void (*replacement)();
  std::size_t changed = 0;
};

/// The parts of a loaded ELF file that list its imports.
struct ImportTables {
  const Elf64_Sym* symbols = nullptr;
  const char* names = nullptr;
  std::span<const Elf64_Rela> functions;
  std::span<const Elf64_Rela> data;
};

/// A range of memory that the dynamic loader has made read-only.
struct ReadOnlyRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool Contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

template <typename T>
const T* PointerTo(std::uintptr_t address) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): ELF files contain addresses
  return reinterpret_cast<const T*>(address);
}

ImportTables TablesOf(const dl_phdr_info& file, const Elf64_Dyn* entry) {
  ImportTables tables;
  std::size_t functions_bytes = 0;
  std::size_t data_bytes = 0;
  const Elf64_Rela* functions = nullptr;
  const Elf64_Rela* data = nullptr;
  for (; entry->d_tag != DT_NULL; ++entry) {
    // The loader has added the base already, except in the library of the kernel.
    const std::uintptr_t given = entry->d_un.d_ptr;
    const std::uintptr_t address = given < file.dlpi_addr ? given + file.dlpi_addr : given;
    if (entry->d_tag == DT_SYMTAB) tables.symbols = PointerTo<Elf64_Sym>(address);
    if (entry->d_tag == DT_STRTAB) tables.names = PointerTo<char>(address);
    if (entry->d_tag == DT_JMPREL) functions = PointerTo<Elf64_Rela>(address);
    if (entry->d_tag == DT_RELA) data = PointerTo<Elf64_Rela>(address);
    if (entry->d_tag == DT_PLTRELSZ) functions_bytes = entry->d_un.d_val;
    if (entry->d_tag == DT_RELASZ) data_bytes = entry->d_un.d_val;
  }
  if (tables.symbols == nullptr || tables.names == nullptr) return {};
  if (functions != nullptr) tables.functions = {functions, functions_bytes / sizeof(Elf64_Rela)};
  if (data != nullptr) tables.data = {data, data_bytes / sizeof(Elf64_Rela)};
  return tables;
}

void Change(std::uintptr_t place, const ReadOnlyRange& read_only, Import& import) {
  const auto page_bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  // NOLINTNEXTLINE(performance-no-int-to-ptr): ELF files contain addresses
  auto* const page = reinterpret_cast<void*>(place / page_bytes * page_bytes);
  const bool is_protected = read_only.Contains(place);
  if (is_protected && ::mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0) return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): ELF files contain addresses
  __atomic_store_n(reinterpret_cast<std::uintptr_t*>(place),
                   reinterpret_cast<std::uintptr_t>(import.replacement), __ATOMIC_RELAXED);
  ++import.changed;
  if (is_protected) ::mprotect(page, page_bytes, PROT_READ);
}

void ChangeIn(const dl_phdr_info& file, const ImportTables& tables, const ReadOnlyRange& read_only,
              Import& import) {
  for (const auto& list : {tables.functions, tables.data}) {
    for (const Elf64_Rela& relocation : list) {
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const Elf64_Sym& symbol = tables.symbols[ELF64_R_SYM(relocation.r_info)];
      if (std::strcmp(tables.names + symbol.st_name, import.name) == 0)
        Change(file.dlpi_addr + relocation.r_offset, read_only, import);
    }
  }
}

int ChangeFile(dl_phdr_info* file, std::size_t /*size*/, void* import) {
  const Elf64_Dyn* dynamic = nullptr;
  ReadOnlyRange read_only;
  for (const Elf64_Phdr& part : std::span(file->dlpi_phdr, file->dlpi_phnum)) {
    const std::uintptr_t begin = file->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_DYNAMIC) dynamic = PointerTo<Elf64_Dyn>(begin);
    if (part.p_type == PT_GNU_RELRO) read_only = {begin, begin + part.p_memsz};
  }
  if (dynamic != nullptr)
    ChangeIn(*file, TablesOf(*file, dynamic), read_only, *static_cast<Import*>(import));
  return 0;
}

}  // namespace

std::size_t ReplaceImport(const char* name, void (*replacement)()) {
  Import import{.name = name, .replacement = replacement};
  ::dl_iterate_phdr(ChangeFile, &import);
  return import.changed;
}

}  // namespace kinetic::inline v0::native
