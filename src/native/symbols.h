#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kinetic::inline v0::native {

/// A place in the code of this process.
struct CodePlace {
  Path file;                 ///< the program or the library; empty: unknown
  std::uint64_t offset = 0;  ///< address in the file, as for addr2line
  std::string function;      ///< demangled; empty: unknown
};

/// Finds the functions of addresses in this process, from the symbol tables of its files.
///
/// @threads  one thread at a time.
class Symbolizer {
 public:
  explicit Symbolizer(FileSystem& fs) : fs_(fs) {}

  /// @param address  of an instruction.
  CodePlace Find(std::uintptr_t address);

 private:
  struct Symbol {
    std::uint64_t start = 0;
    std::uint64_t size = 0;
    std::string name;
  };
  using Symbols = std::vector<Symbol>;  // by start

  const Symbols& SymbolsOf(const Path& file);
  Result<Symbols> ReadSymbols(const Path& file) const;

  FileSystem& fs_;
  std::map<Path, Symbols> files_;
};

/// Returns a name from the C++ runtime as in source code, "std::runtime_error".
std::string Demangle(const char* name);

}  // namespace kinetic::inline v0::native
