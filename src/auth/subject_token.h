#pragma once

#include "auth/token_endpoint.h"
#include "base/file_system.h"

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kinetic::auth {

/// Where a token of another identity provider comes from, to be exchanged for one of Google's.
///
/// @threads  one call at a time.
class SubjectToken {
 public:
  virtual ~SubjectToken() = default;
  /// Reads it anew. @errors kUnauthenticated · kNotFound · kUnavailable · kCancelled.
  virtual Result<std::string> Read(std::stop_token stop) = 0;
};

/// How a token is written down: as it is, or as a member of a JSON object.
struct TokenFormat {
  std::string json_field;  ///< empty: the whole text is the token
};

/// Takes a token out of what a file or a server gave. @errors kUnauthenticated, naming `where`.
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

/// A program that prints a token; run only where the caller has allowed it.
struct Executable {
  std::vector<std::string> argv;
  std::chrono::milliseconds timeout{30'000};
  Path output_file;  ///< an answer that is kept there and lasts is used instead; may be empty
  std::map<std::string, std::string> environment;  ///< all of it
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
