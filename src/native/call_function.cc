#include "kinetic/try.h"

#include "base/hash/concurrent_sha256.h"
#include "json/bytes.h"
#include "json/content_builder.h"
#include "native/control.h"
#include "native/crash_report.h"
#include "native/exception.h"
#include "native/job_process.h"
#include "native/protocol.h"
#include "native/registry.h"
#include "native/stored_value.h"
#include "native/throw_trace.h"

#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::inline v0::native {
namespace {

constexpr std::uint64_t kMaxArgumentsBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kMaxContextBytes = 1U << 20;
constexpr int kFailed = 1;

/// Reads an array whose file the runner has not verified: `{"$path": FILE, "sha256": …}`. The bytes
/// that are hashed are those that the function gets.
Result<Bytes> ReadArray(FileSystem& fs, const Path& file, const std::string* sha256) {
  constexpr std::size_t kPieceBytes = 256U << 10;
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs.Open(file, OpenMode::kRead, 0));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Fstat(fd.get()));
  json::ContentBuilder content(status.size_bytes);
  ConcurrentSha256 hash;
  std::vector<char> buffer(kPieceBytes);
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs.Read(fd.get(), buffer));
    if (count == 0) break;
    content.Append({buffer.data(), count});
    if (sha256 != nullptr) hash.Update({buffer.data(), count});
  }
  if (sha256 == nullptr || hash.Finish().Hex() == *sha256) return content.Finish();
  return Fail(ErrorCode::kDataLoss, file.native() + " does not match its digest in the arguments",
              "submit the job again");
}

/// Replaces arrays in files, `{"$npy": {"$path": FILE}}`, by their content.
Status ReadArrays(FileSystem& fs, Value& value) {
  if (auto* list = value.AsList()) {
    for (Value& item : *list) KINETIC_RETURN_IF_ERROR(ReadArrays(fs, item));
  }
  auto* map = value.AsMap();
  if (map == nullptr) return {};
  const Value* array = json::Tagged(value, "$npy");
  const Value* file = array != nullptr ? array->Find("$path") : nullptr;
  if (file != nullptr && file->AsString() != nullptr) {
    const Value* sha256 = array->Find("sha256");
    KINETIC_ASSIGN_OR_RETURN(
        Bytes npy,
        ReadArray(fs, *file->AsString(), sha256 == nullptr ? nullptr : sha256->AsString()));
    map->front().second = Value::Content(std::move(npy));
    return {};
  }
  for (auto& member : *map) KINETIC_RETURN_IF_ERROR(ReadArrays(fs, member.second));
  return {};
}

Result<Value::List> ReadArguments(FileSystem& fs, const Path& exchange) {
  KINETIC_ASSIGN_OR_RETURN(const std::string json,
                           ReadFile(fs, exchange / kArgumentsFile, kMaxArgumentsBytes));
  KINETIC_ASSIGN_OR_RETURN(Value arguments, Value::FromJson(json));
  KINETIC_RETURN_IF_ERROR(ReadArrays(fs, arguments));
  if (auto* list = arguments.AsList()) return std::move(*list);
  if (arguments.AsMap() != nullptr && arguments.AsMap()->empty()) return Value::List();
  return Fail(ErrorCode::kInvalidArgument,
              "a C++ function takes arguments by position, not by name");
}

Status EnterJob(FileSystem& fs, const Path& exchange) {
  KINETIC_ASSIGN_OR_RETURN(const std::string json,
                           ReadFile(fs, exchange / kContextFile, kMaxContextBytes));
  KINETIC_ASSIGN_OR_RETURN(JobContext context, JobContextFromJson(json));
  SetCurrentJob(std::move(context));
  return {};
}

Result<Callable> FindFunction(const std::string& name) {
  KINETIC_RETURN_IF_ERROR(CheckNames());
  if (auto found = FindByName(name)) return *std::move(found);
  return Fail(ErrorCode::kNotFound,
              "the program has no function " + name + "; it has " + ListFunctions());
}

/// Calls the function and stores its value.
int Deliver(Control& control, const Callable& function, Value::List arguments,
            const Path& exchange) {
  Result<Value> value = function.invoker(function.function, std::move(arguments));
  if (!control.IsOwner()) return 0;  // in a process that the function forked
  if (!value) {
    control.Refused(function.name + ": " + value.error().message);
    return kFailed;
  }
  const auto size = WriteValue(PosixFileSystem(), *std::move(value), exchange);
  if (!size) {
    control.NotSerializable(size.error().message);
    return kFailed;
  }
  std::cout.flush();
  std::fflush(nullptr);
  control.Returned(*size);
  return 0;
}

}  // namespace

int CallFunction(const CallRequest& request) {
  // So that lines arrive in the log as they are printed, and none is lost in a crash.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  FileSystem& fs = PosixFileSystem();
  Control control(request.control);
  control.Started();
  const auto call = [&]() -> Result<int> {
    KINETIC_ASSIGN_OR_RETURN(const Callable function, FindFunction(request.function));
    KINETIC_RETURN_IF_ERROR(EnterJob(fs, request.exchange));
    KINETIC_ASSIGN_OR_RETURN(Value::List arguments, ReadArguments(fs, request.exchange));
    StartThrowTraces();
    StartCrashReports();
    try {
      return Deliver(control, function, std::move(arguments), request.exchange);
    } catch (...) {
      control.Raised(DescribeException());
      return kFailed;
    }
  };
  const Result<int> code = call();
  if (code) return *code;
  control.Refused(code.error().message);
  return kFailed;
}

}  // namespace kinetic::inline v0::native
