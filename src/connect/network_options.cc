#include "kinetic/try.h"

#include "base/strings.h"
#include "connect/cloud_options.h"

namespace kinetic::connect {
namespace {

constexpr std::uint64_t kCaBytes = 16U << 20;

curl::HttpVersion ToCurlVersion(HttpVersion version) {
  switch (version) {
    case HttpVersion::kOne:
      return curl::HttpVersion::kHttp1;
    case HttpVersion::kTwo:
      return curl::HttpVersion::kHttp2;
    case HttpVersion::kAuto:
      break;
  }
  return curl::HttpVersion::kAuto;
}

Result<std::string> ReadCaFile(FileSystem& fs, const Path& path) {
  const std::string what = "cannot use the CA file " + Printable(path.native());
  auto pem = ReadFile(fs, path, kCaBytes);
  if (!pem) return Failure(std::move(pem).error().Context(what));
  if (pem->find("-----BEGIN CERTIFICATE-----") != std::string::npos) return pem;
  return Fail(ErrorCode::kFailedPrecondition, what + ": it contains no certificate",
              "use a file with PEM certificates");
}

}  // namespace

Result<curl::Options> ToCurlOptions(const CloudOptions& options, FileSystem& fs) {
  curl::Options network;
  network.http_version = ToCurlVersion(options.http_version);
  network.proxy = options.proxy;
  network.no_proxy = options.no_proxy;
  if (!options.ca_file.empty()) {
    KINETIC_ASSIGN_OR_RETURN(network.ca_pem, ReadCaFile(fs, options.ca_file));
  }
  return network;
}

}  // namespace kinetic::connect
