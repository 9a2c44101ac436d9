#include "kinetic/try.h"

#include "auth/source/subject_token.h"
#include "base/process/subprocess.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "json/document.h"

namespace kinetic::auth {
namespace {

constexpr std::uint64_t kOutputBytes = 1U << 20;

struct ExecutableResponse {
  std::string token;
  std::int64_t expires = 0;  ///< seconds since 1970; 0: unknown
};

/// Parses the output of the program: {"version":1,"success":true,"token_type":…,"id_token":…}.
Result<ExecutableResponse> ParseResponse(const std::string& json, const std::string& where) {
  const auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kUnauthenticated, where + " did not print JSON");
  json::ObjectReader reader(*value, where);
  if (reader.Int("version") != 1) reader.Reject("version", "expected 1");
  const bool success = reader.Bool("success");
  ExecutableResponse response;
  if (success) {
    const bool saml = reader.String("token_type").find("saml2") != std::string::npos;
    response.token = reader.String(saml ? "saml_response" : "id_token");
    response.expires = reader.OptionalInt("expiration_time").value_or(0);
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  if (success) return response;
  const std::string why = reader.OptionalString("message").value_or("no reason given");
  return Fail(ErrorCode::kUnauthenticated, where + " returned no token: " + Printable(why));
}

bool IsValid(const ExecutableResponse& response, const Clock& clock) {
  const auto now =
      std::chrono::duration_cast<std::chrono::seconds>(clock.Now().time_since_epoch()).count();
  return response.expires > now;
}

}  // namespace

Result<std::string> ExecutableSubjectToken::Output(const std::stop_token& stop) const {
  std::string output;
  Subprocess program{.argv = executable_.argv,
                     .environment = executable_.environment,
                     .working_directory = {},
                     .search_path = executable_.search_path,
                     .on_stdout =
                         [&](std::string_view piece) {
                           if (output.size() < kOutputBytes) output += piece;
                         },
                     .on_stderr = {}};
  const Deadline deadline(executable_.timeout, stop);
  const auto status = Run(program, deadline.token());
  const std::string where = "the credential program " + Printable(executable_.argv.at(0));
  if (deadline.expired()) {
    return Fail(
        ErrorCode::kUnauthenticated,
        where + " did not finish within " + std::to_string(executable_.timeout.count()) + " ms");
  }
  if (!status) return Failure(status.error());
  if (!status->Succeeded()) {
    return Fail(ErrorCode::kUnauthenticated,
                where + " exited with code " + std::to_string(status->ShellCode()));
  }
  return output;
}

Result<std::string> ExecutableSubjectToken::Read(std::stop_token stop) {
  const std::string where = "the credential program " + Printable(executable_.argv.at(0));
  if (!executable_.output_file.empty()) {
    const auto file = ReadFile(*fs_, executable_.output_file, kOutputBytes);
    const auto cached =
        file ? ParseResponse(*file, where) : Result<ExecutableResponse>(Failure(file.error()));
    if (cached && IsValid(*cached, *clock_)) return cached->token;
  }
  KINETIC_ASSIGN_OR_RETURN(const std::string output, Output(stop));
  KINETIC_ASSIGN_OR_RETURN(const ExecutableResponse response, ParseResponse(output, where));
  if (response.expires != 0 && !IsValid(response, *clock_)) {
    return Fail(ErrorCode::kUnauthenticated, where + " printed an expired token");
  }
  return response.token;
}

}  // namespace kinetic::auth
