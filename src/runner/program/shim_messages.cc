#include "runner/program/shim_messages.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "json/document.h"
#include "json/exception.h"
#include "runner/log/redactor.h"

#include <array>
#include <memory>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::size_t kLengthBytes = 4;

struct KindName {
  std::string_view name;
  ShimMessage::Kind kind;
};

constexpr std::array<KindName, 8> kKinds{{{"started", ShimMessage::Kind::kStarted},
                                          {"returned", ShimMessage::Kind::kReturned},
                                          {"raised", ShimMessage::Kind::kRaised},
                                          {"refused", ShimMessage::Kind::kRefused},
                                          {"not_serializable", ShimMessage::Kind::kNotSerializable},
                                          {"exited", ShimMessage::Kind::kExited},
                                          {"lingering", ShimMessage::Kind::kLingering},
                                          {"called", ShimMessage::Kind::kCalled}}};

Failure Damaged(std::string message) {
  return Fail(ErrorCode::kDataLoss,
              "invalid data on the function's control pipe: " + std::move(message),
              "the program must not write to descriptors that it did not open");
}

Result<Frame> ParseFrame(const Value& value) {
  json::ObjectReader reader(value, "frame");
  Frame frame;
  frame.file = reader.String("file");
  const std::int64_t line = reader.Int("line");
  frame.line = line < 0 || line > INT32_MAX ? 0 : static_cast<int>(line);
  frame.function = reader.String("function");
  frame.code = reader.OptionalString("code").value_or("");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return frame;
}

Result<RemoteException> ParseException(const Value& value, int depth) {
  json::ObjectReader reader(value, "exception");
  RemoteException exception;
  exception.type = reader.String("type");
  exception.message = reader.String("message");
  exception.relation = reader.OptionalString("relation").value_or("");
  for (const auto& item : reader.List("traceback")) {
    KINETIC_ASSIGN_OR_RETURN(Frame frame, ParseFrame(item));
    exception.traceback.push_back(std::move(frame));
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  if (const Value* attributes = reader.Member("attributes"); attributes != nullptr)
    exception.attributes = *attributes;
  const Value* cause = reader.Member("cause");
  if (cause == nullptr || depth >= json::kMaxExceptionChain) {
    exception.relation.clear();
  } else {
    KINETIC_ASSIGN_OR_RETURN(RemoteException parsed, ParseException(*cause, depth + 1));
    exception.cause = std::make_shared<const RemoteException>(std::move(parsed));
  }
  return exception;
}

std::string JoinThreads(const Value::List& threads) {
  std::string joined;
  for (const auto& thread : threads) {
    if (const auto* name = thread.AsString()) joined += (joined.empty() ? "" : ", ") + *name;
  }
  return joined;
}

Status ReadFields(const Value& value, ShimMessage& message) {
  json::ObjectReader reader(value, "message");
  switch (message.kind) {
    case ShimMessage::Kind::kStarted:
      message.detail = reader.OptionalString("python").value_or("");
      break;
    case ShimMessage::Kind::kReturned:
      message.number = reader.Int("size_bytes");
      break;
    case ShimMessage::Kind::kRaised: {
      const Value* exception = reader.Member("exception");
      if (exception == nullptr) return Damaged("an exception message without 'exception'");
      KINETIC_ASSIGN_OR_RETURN(message.exception, ParseException(*exception, 0));
      break;
    }
    case ShimMessage::Kind::kRefused:
      message.reason = reader.String("reason");
      break;
    case ShimMessage::Kind::kNotSerializable:
      message.reason = reader.String("message");
      message.detail = reader.String("repr");
      break;
    case ShimMessage::Kind::kCalled:
      message.number = reader.Int("code");
      break;
    case ShimMessage::Kind::kExited:
      message.number = reader.Int("code");
      if (message.number < 0 || message.number > 255) {
        return Damaged("the exit code " + std::to_string(message.number));
      }
      message.detail = reader.OptionalString("note").value_or("");
      break;
    case ShimMessage::Kind::kLingering:
      message.detail = JoinThreads(reader.List("threads"));
      break;
  }
  return reader.Finish();
}

}  // namespace

Result<std::optional<ShimMessage>> ParseShimMessage(std::string_view json) {
  const auto value = Value::FromJson(json);
  if (!value) return Damaged(value.error().message);
  const Value* kind = value->Find("kind");
  if (kind == nullptr || kind->AsString() == nullptr) return Damaged("a message without 'kind'");
  for (const auto& known : kKinds) {
    if (known.name != *kind->AsString()) continue;
    ShimMessage message;
    message.kind = known.kind;
    KINETIC_RETURN_IF_ERROR(ReadFields(*value, message));
    return std::optional(std::move(message));
  }
  return std::optional<ShimMessage>();
}

void RedactTexts(ShimMessage& message, const std::vector<std::string>& secrets) {
  message.reason = Redact(message.reason, secrets);
  message.detail = Redact(message.detail, secrets);
  if (message.exception) RedactTexts(*message.exception, secrets);
}

std::string ToJson(const ShimMessage& message) {
  Value::Map map;
  for (const auto& known : kKinds) {
    if (known.kind == message.kind) map.emplace_back("kind", std::string(known.name));
  }
  switch (message.kind) {
    case ShimMessage::Kind::kStarted:
      map.emplace_back("python", message.detail);
      break;
    case ShimMessage::Kind::kReturned:
      map.emplace_back("size_bytes", message.number);
      break;
    case ShimMessage::Kind::kRaised:
      map.emplace_back("exception", json::ExceptionValue(*message.exception));
      break;
    case ShimMessage::Kind::kRefused:
      map.emplace_back("reason", message.reason);
      break;
    case ShimMessage::Kind::kNotSerializable:
      map.emplace_back("message", message.reason);
      map.emplace_back("repr", message.detail);
      break;
    case ShimMessage::Kind::kCalled:
      map.emplace_back("code", message.number);
      break;
    case ShimMessage::Kind::kExited:
      map.emplace_back("code", message.number);
      if (!message.detail.empty()) map.emplace_back("note", message.detail);
      break;
    case ShimMessage::Kind::kLingering:
      map.emplace_back("threads", Value::List{Value(message.detail)});
      break;
  }
  return Value(std::move(map)).ToJson();
}

Result<std::vector<ShimMessage>> ShimParser::Feed(std::string_view bytes) {
  if (broken_) return std::vector<ShimMessage>();
  pending_ += bytes;
  std::vector<ShimMessage> messages;
  std::size_t offset = 0;
  while (pending_.size() - offset >= kLengthBytes) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < kLengthBytes; ++i) {
      length = length << 8 | static_cast<unsigned char>(pending_[offset + i]);
    }
    if (length > kMaxShimFrame) {
      broken_ = true;
      return Damaged("a frame of " + std::to_string(length) + " bytes");
    }
    if (pending_.size() - offset - kLengthBytes < length) break;
    auto message =
        ParseShimMessage(std::string_view(pending_).substr(offset + kLengthBytes, length));
    if (!message) {
      broken_ = true;
      return Failure(std::move(message).error());
    }
    if (*message) messages.push_back(*std::move(*message));
    offset += kLengthBytes + length;
  }
  pending_.erase(0, offset);
  return messages;
}

}  // namespace kinetic::runner
