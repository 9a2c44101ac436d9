#include "kinetic/try.h"

#include "base/files/temp_dir.h"
#include "oci/build/image.h"
#include "oci/layer/byte_sink.h"

namespace kinetic::oci {
namespace {

/// Returns the parent folder of a file, or ".".
Path ParentFolderOf(const Path& file) {
  const Path parent = file.parent_path();
  return parent.empty() ? Path(".") : parent;
}

Status PackInto(FileSystem& fs, const ImageLayout& layout, const Path& path,
                const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(FileSink file, FileSink::Create(fs, path));
  const ByteSink sink = [&](std::string_view bytes) { return file.Write(bytes); };
  KINETIC_RETURN_IF_ERROR(layout.WriteArchive(sink, stop));
  return file.Sync();
}

}  // namespace

Result<WrittenImage> WriteImage(FileSystem& fs, const ImageSpec& image,
                                const ImageBuildOptions& options, const Path& output,
                                const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const TempDir work,
                           TempDir::Make(fs, ParentFolderOf(output), ".kinetic-image-"));
  KINETIC_ASSIGN_OR_RETURN(BuiltImage built,
                           BuildImage(fs, image, options, work.path() / "layout", stop));
  KINETIC_RETURN_IF_ERROR(
      built.layout.AddIndex(IndexDocument(built.manifest, built.name, image.config.architecture)));
  const Path unnamed = work.path() / "image.tar";
  KINETIC_RETURN_IF_ERROR(PackInto(fs, built.layout, unnamed, stop));
  KINETIC_RETURN_IF_ERROR(fs.Rename(unnamed, output));
  return built.ToWrittenImage();
}

}  // namespace kinetic::oci
