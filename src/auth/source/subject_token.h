#pragma once

#include "auth/token_endpoint.h"
#include "base/files/file_system.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kinetic::auth {

/// A source of tokens of another identity provider, which are exchanged for Google tokens. Not
/// thread-safe.
class SubjectToken {
 public:
  virtual ~SubjectToken() = default;
  /// Reads the current token. @errors kUnauthenticated · kNotFound · kUnavailable · kCancelled.
  virtual Result<std::string> Read(std::stop_token stop) = 0;
};

/// Whether a token is plain text or a field of a JSON object.
struct TokenFormat {
  std::string json_field;  ///< empty: plain text
};

/// Extracts the token from the content of a file or response.
///
/// @param   where  begins every message: "the token file /run/token".
/// @errors  kUnauthenticated.
Result<std::string> ExtractToken(const std::string& text, const TokenFormat& format,
                                 const std::string& where);

class FileSubjectToken final : public SubjectToken {
 public:
  FileSubjectToken(Path path, TokenFormat format, FileSystem& fs)
      : path_(std::move(path)), format_(std::move(format)), fs_(&fs) {}
  Result<std::string> Read(std::stop_token stop) override;

 private:
  Path path_;
  TokenFormat format_;
  FileSystem* fs_;
};

class UrlSubjectToken final : public SubjectToken {
 public:
  UrlSubjectToken(http::Request request, TokenFormat format, const Network& network)
      : request_(std::move(request)), format_(std::move(format)), network_(network) {}
  Result<std::string> Read(std::stop_token stop) override;

 private:
  http::Request request_;
  TokenFormat format_;
  Network network_;
};

/// A program that prints a token. It runs only if CredentialPolicy::executables is set.
struct Executable {
  std::vector<std::string> argv;
  std::chrono::milliseconds timeout{30'000};
  Path output_file;  ///< a cached response, used while it is valid; may be empty
  std::map<std::string, std::string> environment;  ///< the complete environment
  std::string search_path;
};

/// @source https://google.aip.dev/auth/4117 (executable-sourced credentials)
class ExecutableSubjectToken final : public SubjectToken {
 public:
  ExecutableSubjectToken(Executable executable, FileSystem& fs, Clock& clock)
      : executable_(std::move(executable)), fs_(&fs), clock_(&clock) {}
  Result<std::string> Read(std::stop_token stop) override;

 private:
  Result<std::string> Output(const std::stop_token& stop) const;

  Executable executable_;
  FileSystem* fs_;
  Clock* clock_;
};

}  // namespace kinetic::auth
