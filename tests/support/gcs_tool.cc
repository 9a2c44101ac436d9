#include "base/hash/crc32c.h"
#include "base/hash/digest.h"
#include "curl/transport.h"
#include "gcs/client.h"
#include "gcs/object.h"
#include "gcs/parallel_transfer.h"
#include "gcs/upload/sessions.h"
#include "http/body.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace kinetic {
namespace {

/// Arguments of the command line.
struct Task {
  std::string endpoint;
  std::string bucket = "b";
  std::string name;
  std::string file;
  std::string sessions;  ///< a folder; empty: sessions are not stored
  TransferOptions parts;
};

/// Stores a file only if the object does not exist.
Result<gcs::InsertOptions> CreateOnly(const http::FileBody& file) {
  auto status = file.Stat();
  if (!status) return Failure(status.error());
  gcs::InsertOptions options;
  options.if_generation = 0;
  options.source = gcs::FileFingerprint(*status);
  return options;
}

Result<std::optional<gcs::Object>> Put(const gcs::Client& client, const Task& task) {
  auto body = http::FileBody::Open(PosixFileSystem(), task.file);
  if (!body) return Failure(body.error());
  const auto options = CreateOnly(**body);
  return options ? client.Insert(task.name, *body, *options, {}) : Failure(options.error());
}

Result<std::optional<gcs::Object>> PutParts(const gcs::Client& client, const Task& task) {
  const auto body = http::FileBody::Open(PosixFileSystem(), task.file);
  if (!body) return Failure(body.error());
  const gcs::CompositeUpload upload(client, "parts/", task.parts);
  const auto options = CreateOnly(**body);
  return options ? upload.Store(*body, task.name, *options, {}) : Failure(options.error());
}

Result<std::optional<gcs::Object>> Get(const gcs::Client& client, const Task& task) {
  FileSystem& fs = PosixFileSystem();
  auto fd = fs.Open(task.file, OpenMode::kTruncate, 0644);
  if (!fd) return Failure(fd.error());
  const auto write = [&](std::string_view piece) { return fs.Write(fd->get(), piece); };
  return client.Read(task.name, {}, write, {});
}

Result<std::optional<gcs::Object>> GetParts(const gcs::Client& client, const Task& task) {
  const gcs::ParallelDownload download(client, PosixFileSystem(), task.parts);
  return download.Fetch(task.name, {}, task.file, {});
}

/// Baseline: computes both checksums and nothing else.
Result<std::optional<gcs::Object>> Hash(const gcs::Client& /*client*/, const Task& task) {
  auto body = http::FileBody::Open(PosixFileSystem(), task.file);
  if (!body) return Failure(body.error());
  std::string buffer(1U << 20, '\0');
  Sha256 sha256;
  Crc32c crc32c;
  for (;;) {
    const auto count = (*body)->Read(buffer);
    if (!count) return Failure(count.error());
    if (*count == 0) break;
    sha256.Update({buffer.data(), *count});
    crc32c.Update({buffer.data(), *count});
  }
  gcs::Object object;
  object.size_bytes = (*body)->size_bytes();
  object.crc32c = crc32c.Base64() + " " + sha256.Finish().Hex();
  return std::optional<gcs::Object>(std::move(object));
}

struct Verb {
  const char* name;
  Result<std::optional<gcs::Object>> (*act)(const gcs::Client& client, const Task& task);
};
constexpr std::array<Verb, 5> kVerbs{
    {{"put", Put}, {"get", Get}, {"put-parts", PutParts}, {"get-parts", GetParts}, {"hash", Hash}}};

int Report(const Result<std::optional<gcs::Object>>& object) {
  if (!object) {
    std::fprintf(stderr, "%s\n", object.error().message.c_str());
    return 1;
  }
  if (!*object) {
    std::fprintf(stderr, "nothing done: absent, or already present\n");
    return 3;
  }
  std::printf("%llu %s\n", static_cast<unsigned long long>((*object)->size_bytes),
              (*object)->crc32c.c_str());
  return 0;
}

int Run(const CLI::App& app, const Task& task) {
  const auto engine = curl::StartEngine();
  if (!engine) return 1;
  curl::CurlTransport transport(*engine, {});
  gcs::FileSessionStore sessions(PosixFileSystem(), SystemClock(), task.sessions);
  gcs::ClientOptions options;
  options.endpoint = task.endpoint;
  if (!task.sessions.empty()) options.sessions = &sessions;
  const gcs::Client client(transport, SystemClock(), task.bucket, options);
  const auto* const verb = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& candidate) {
    return app.got_subcommand(candidate.name);
  });
  return Report(verb->act(client, task));
}

}  // namespace
}  // namespace kinetic

/// The storage client as a program, for tests that kill it and for benchmarks.
int main(int argc, char** argv) {
  CLI::App app("Moves one object");
  kinetic::Task task;
  app.add_option("--endpoint", task.endpoint)->required();
  app.add_option("--bucket", task.bucket);
  app.add_option("--sessions", task.sessions);
  app.add_option("--part-bytes", task.parts.part_bytes);
  app.add_option("--connections", task.parts.connections);
  for (const kinetic::Verb& verb : kinetic::kVerbs) {
    CLI::App* command = app.add_subcommand(verb.name);
    command->add_option("name", task.name)->required();
    command->add_option("file", task.file)->required();
  }
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  return kinetic::Run(app, task);
}
