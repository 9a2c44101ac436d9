#include "kinetic/try.h"
#include "kinetic/value.h"

#include "connect/registry.h"
#include "http/body.h"
#include "oci/build/extend_image.h"
#include "oci/format/reference.h"
#include "oci/inspect/python.h"
#include "oci/registry/remote_image.h"
#include "oci/registry/repository.h"

#include <CLI/CLI.hpp>

#include <array>
#include <cstdio>
#include <memory>
#include <optional>

namespace kinetic {
namespace {

/// Arguments of the command line.
struct Task {
  std::string image;
  std::string other;  ///< image, or a file
  std::string name;   ///< of a blob or a manifest
  std::string architecture = "amd64";
  std::string minor = "3.12";
  std::string scratch;
  std::string docker_config;
};

struct Opened {
  oci::Reference reference;
  std::unique_ptr<connect::RegistryConnection> connection;

  const oci::Repository& repository() const { return connection->repository(); }
};

Result<Opened> Open(const Task& task, const std::string& image,
                    const connect::RegistryAccess& use) {
  KINETIC_ASSIGN_OR_RETURN(oci::Reference reference, oci::ParseReference(image));
  const connect::Dependencies dependencies{.fs = PosixFileSystem(), .clock = SystemClock()};
  RegistryOptions options;
  options.docker_config = task.docker_config;
  KINETIC_ASSIGN_OR_RETURN(
      auto connection, connect::RegistryConnection::Open(reference, options, dependencies, use));
  return Opened{std::move(reference), std::move(connection)};
}

Result<oci::RegistryImage> Image(const Task& task, const oci::Repository& repository,
                                 const std::string& tag) {
  return oci::ReadRegistryImage(repository, task.name.empty() ? tag : task.name, task.architecture,
                                {});
}

Result<Value> Read(const Task& task) {
  KINETIC_ASSIGN_OR_RETURN(const Opened from, Open(task, task.image, {.read_only = true}));
  KINETIC_ASSIGN_OR_RETURN(const auto image, Image(task, from.repository(), from.reference.tag));
  Value::List layers;
  for (const oci::Descriptor& layer : image.layers)
    layers.emplace_back(oci::DigestString(layer.digest));
  return Value(Value::Map{{"digest", oci::DigestString(image.digest)},
                          {"named", oci::DigestString(image.root_digest)},
                          {"config", image.config_json},
                          {"layers", std::move(layers)}});
}

Result<Value> Mount(const Task& task) {
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference from, oci::ParseReference(task.other));
  KINETIC_ASSIGN_OR_RETURN(const Opened to, Open(task, task.image, {}));
  const auto digest = oci::ParseDigest(task.name);
  if (!digest) return Fail(ErrorCode::kInvalidArgument, task.name);
  KINETIC_ASSIGN_OR_RETURN(const bool there,
                           to.repository().MountBlob({"", *digest, 0}, from.repository, {}));
  return Value(there);
}

Result<Value> Tags(const Task& task) {
  KINETIC_ASSIGN_OR_RETURN(const Opened from, Open(task, task.image, {.read_only = true}));
  KINETIC_ASSIGN_OR_RETURN(const auto tags, from.repository().ListTags({}));
  return Value(Value::List(tags.begin(), tags.end()));
}

Result<Value> Remove(const Task& task) {
  KINETIC_ASSIGN_OR_RETURN(const Opened from, Open(task, task.image, {}));
  KINETIC_RETURN_IF_ERROR(from.repository().RemoveManifest(task.name, {}));
  return Value();
}

/// Builds an image from another one with one more label. @returns the number of bytes sent
Result<Value> Extend(const Task& task) {
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference base, oci::ParseReference(task.image));
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference goal, oci::ParseReference(task.other));
  connect::RegistryAccess use;
  if (base.registry == goal.registry) use.other_repositories = {base.repository};
  KINETIC_ASSIGN_OR_RETURN(const Opened to, Open(task, task.other, use));
  KINETIC_ASSIGN_OR_RETURN(const Opened opened_base, Open(task, task.image, {.read_only = true}));
  const oci::Repository& from = opened_base.repository();
  KINETIC_ASSIGN_OR_RETURN(const auto image, Image(task, from, base.tag));
  std::uint64_t sent_bytes = 0;
  for (const oci::Descriptor& layer : image.layers) {
    KINETIC_ASSIGN_OR_RETURN(
        const std::uint64_t sent,
        CopyBlob(PosixFileSystem(), from, to.repository(), layer, task.scratch, {}));
    sent_bytes += sent;
  }
  oci::ImageExtension extension;
  extension.labels = {{"extended", "yes"}};
  KINETIC_ASSIGN_OR_RETURN(const oci::ExtendedImage made, oci::ExtendImage(image, extension));
  KINETIC_RETURN_IF_ERROR(to.repository().UploadBlob(
      made.config, std::make_shared<http::BytesBody>(made.config_json), {}));
  KINETIC_RETURN_IF_ERROR(
      to.repository().PutManifest(made.manifest.media_type, made.manifest_json, goal.tag, {}));
  return Value(static_cast<std::int64_t>(sent_bytes));
}

/// Uploads a file as a layer with a known digest, as kinetic does for files that it has written.
Result<Value> Push(const Task& task) {
  KINETIC_ASSIGN_OR_RETURN(const Opened to, Open(task, task.image, {}));
  const auto digest = oci::ParseDigest(task.name);
  if (!digest) return Fail(ErrorCode::kInvalidArgument, task.name);
  KINETIC_ASSIGN_OR_RETURN(const auto body, http::FileBody::Open(PosixFileSystem(), task.other));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus file, PosixFileSystem().Lstat(task.other));
  KINETIC_RETURN_IF_ERROR(to.repository().UploadBlob(
      {oci::media_type::kLayerZstd, *digest, file.size_bytes}, body, {}));
  return Value(oci::DigestString(*digest));
}

Result<Value> Python(const Task& task) {
  KINETIC_ASSIGN_OR_RETURN(const Opened from, Open(task, task.image, {.read_only = true}));
  KINETIC_ASSIGN_OR_RETURN(const auto image, Image(task, from.repository(), from.reference.tag));
  std::vector<Path> files;
  for (const oci::Descriptor& layer : image.layers) {
    files.push_back(Path(task.scratch) / layer.digest.Hex());
    KINETIC_RETURN_IF_ERROR(
        FetchBlob(PosixFileSystem(), from.repository(), layer, files.back(), {}));
  }
  KINETIC_ASSIGN_OR_RETURN(const auto python,
                           FindImagePython(PosixFileSystem(), files, image, task.minor, {}));
  return Value(Value::Map{{"path", python.path}, {"has_glibc", python.has_glibc}});
}

struct Verb {
  const char* name;
  Result<Value> (*act)(const Task& task);
};

constexpr std::array<Verb, 7> kVerbs{{{"read", &Read},
                                      {"mount", &Mount},
                                      {"tags", &Tags},
                                      {"remove", &Remove},
                                      {"extend", &Extend},
                                      {"push", &Push},
                                      {"python", &Python}}};

/// Prints the result as JSON.
int Run(const Verb& verb, const Task& task) {
  const auto done = verb.act(task);
  const Value told = done ? Value(Value::Map{{"done", *done}})
                          : Value(Value::Map{{"error", std::string(Name(done.error().code))},
                                             {"message", done.error().message},
                                             {"hint", done.error().hint}});
  std::puts(told.ToJson().c_str());
  return done ? 0 : 1;
}

}  // namespace
}  // namespace kinetic

/// The registry client as a program, for tests.
int main(int argc, char** argv) {
  CLI::App app;
  kinetic::Task task;
  app.add_option("--scratch", task.scratch)->required();
  app.add_option("--docker-config", task.docker_config)->required();
  app.add_option("--image", task.image)->required();
  app.add_option("--other", task.other);
  app.add_option("--name", task.name);
  app.add_option("--architecture", task.architecture);
  app.add_option("--minor", task.minor);
  const kinetic::Verb* chosen = nullptr;
  for (const kinetic::Verb& verb : kinetic::kVerbs) {
    app.add_subcommand(verb.name)->callback([&chosen, &verb] { chosen = &verb; });
  }
  app.require_subcommand(1);
  CLI11_PARSE(app, argc, argv);
  return kinetic::Run(*chosen, task);
}
