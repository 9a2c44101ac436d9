#include "store/sharing.h"

namespace kinetic::store {
namespace {

constexpr std::uint32_t kGroupMayWrite = 0020;
constexpr std::uint32_t kOwner = 0600;
constexpr std::uint32_t kAllMayRead = 0444;

}  // namespace

Sharing Sharing::Of(FileSystem& fs, const Path& root) {
  Sharing sharing;
  const auto status = fs.Lstat(root);
  if (status && (status->mode & kGroupMayWrite) != 0) sharing.mode_ = status->mode;
  return sharing;
}

Status Sharing::MakeFolder(FileSystem& fs, const Path& folder) const {
  auto made = fs.MakeDirectory(folder, 0777);
  if (!made && made.error().code != ErrorCode::kAlreadyExists) return made;
  (void)OnFolder(fs, folder);
  return {};
}

Status Sharing::OnFolder(FileSystem& fs, const Path& folder) const {
  return mode_ == 0 ? Status() : fs.SetMode(folder, mode_);
}

Status Sharing::OnFile(FileSystem& fs, const Path& file) const {
  return mode_ == 0 ? Status() : fs.SetMode(file, kOwner | (mode_ & kAllMayRead));
}

}  // namespace kinetic::store
