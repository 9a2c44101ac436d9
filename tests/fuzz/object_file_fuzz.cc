// An object file of a folder store is an object or kDataLoss, and files written by the store read
// back equal.

#include "base/files/temp_dir.h"
#include "store/folder_store.h"

#include <cstdlib>
#include <filesystem>

using kinetic::ErrorCode;
namespace store = kinetic::store;

namespace {

void Require(bool held) {
  if (!held) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  auto& fs = kinetic::PosixFileSystem();
  static const auto folder =
      kinetic::TempDir::Make(fs, std::filesystem::temp_directory_path(), "kinetic-fuzz-");
  Require(folder.has_value());
  store::FolderStore objects(folder->path(), fs, kinetic::SystemClock());
  const auto raw = fs.Open(folder->path() / "raw", kinetic::OpenMode::kTruncate, 0600);
  Require(raw && fs.Write(raw->get(), bytes));
  const auto got = store::GetBytes(objects, "raw", {});
  if (got) {
    Require(*got && bytes.starts_with(**got));
  } else {
    Require(got.error().code == ErrorCode::kDataLoss);
  }
  const store::Metadata metadata = {{"k", "v"}};
  for (const auto& each : {store::Metadata(), metadata}) {
    Require(store::Overwrite(objects, "whole", bytes, {}, each).has_value());
    const auto back = store::GetBytes(objects, "whole", {});
    Require(back && *back && **back == bytes);
    const auto seen = objects.Stat("whole", {});
    Require(seen && *seen && (*seen)->metadata == each);
  }
  return 0;
}
