#include "oci/layer/writer.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "oci/format/reference.h"
#include "oci/layer/byte_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace kinetic::oci {
namespace {

constexpr std::size_t kFileReadBytes = 256 << 10;

Failure FileChanged(const Path& file) {
  return Fail(
      ErrorCode::kAborted,
      fmt::format("reading {}: the file changed while it was read", Printable(file.native())),
      "retry when no process is writing to it");
}

class EntryWriter {
 public:
  EntryWriter(FileSystem& fs, TarWriter& tar, std::stop_token stop)
      : fs_(fs), tar_(tar), stop_(std::move(stop)) {}

  Status Add(const Entry& entry) {
    if (stop_.stop_requested()) return Cancelled();
    if (entry.kind != Entry::Kind::kFile) return tar_.BeginEntry(entry, 0);
    if (!entry.source.empty()) return AddFile(entry);
    KINETIC_RETURN_IF_ERROR(tar_.BeginEntry(entry, entry.bytes.size()));
    return tar_.WriteContent(entry.bytes);
  }

 private:
  static Failure Cancelled() { return Fail(ErrorCode::kCancelled, "writing an image: cancelled"); }

  Status AddFile(const Entry& entry) {
    KINETIC_ASSIGN_OR_RETURN(const UniqueFd file, fs_.Open(entry.source, OpenMode::kRead, 0));
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs_.Fstat(file.get()));
    if (status.type != FileType::kRegular)
      return Fail(ErrorCode::kInvalidArgument, fmt::format("image layer: {} is not a regular file",
                                                           Printable(entry.source.native())));
    KINETIC_RETURN_IF_ERROR(tar_.BeginEntry(entry, status.size_bytes));
    std::uint64_t left = status.size_bytes;
    while (true) {
      if (stop_.stop_requested()) return Cancelled();
      KINETIC_ASSIGN_OR_RETURN(const std::size_t got, fs_.Read(file.get(), buffer_));
      if (got > left || (got == 0 && left > 0)) return FileChanged(entry.source);
      if (got == 0) return {};
      KINETIC_RETURN_IF_ERROR(tar_.WriteContent(std::string_view(buffer_).substr(0, got)));
      left -= got;
    }
  }

  FileSystem& fs_;
  TarWriter& tar_;
  std::stop_token stop_;
  std::string buffer_ = std::string(kFileReadBytes, '\0');
};

}  // namespace

Status WriteTar(FileSystem& fs, std::vector<Entry> entries, const ByteSink& sink,
                const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Entry> arranged, NormalizeEntries(std::move(entries)));
  TarWriter tar(sink);
  EntryWriter writer(fs, tar, stop);
  for (const Entry& entry : arranged) KINETIC_RETURN_IF_ERROR(writer.Add(entry));
  return tar.Finish();
}

Result<Layer> WriteLayer(FileSystem& fs, std::vector<Entry> entries, ImageCompression compression,
                         const ByteSink& sink, const std::stop_token& stop) {
  Layer layer;
  layer.blob.media_type =
      compression == ImageCompression::kGzip ? media_type::kLayerGzip : media_type::kLayerZstd;
  Sha256 compressed;
  Sha256 content;
  const auto write_compressed = [&](std::string_view bytes) -> Status {
    compressed.Update(bytes);
    layer.blob.size_bytes += bytes.size();
    return sink(bytes);
  };
  KINETIC_ASSIGN_OR_RETURN(const auto compressor, MakeCompressor(compression, write_compressed));
  const auto write_content = [&](std::string_view bytes) -> Status {
    content.Update(bytes);
    layer.content_bytes += bytes.size();
    return compressor->Write(bytes);
  };
  KINETIC_RETURN_IF_ERROR(WriteTar(fs, std::move(entries), write_content, stop));
  KINETIC_RETURN_IF_ERROR(compressor->Finish());
  layer.blob.digest = compressed.Finish();
  layer.diff_id = content.Finish();
  return layer;
}

}  // namespace kinetic::oci
