#include "exit_code.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

namespace kinetic::cli {
namespace {

TEST(ExitCodes, AreDistinctAndNamed) {
  std::set<int> codes;
  std::set<std::string_view> names;
  for (const ExitCodeInfo& row : ExitCodes()) {
    EXPECT_TRUE(codes.insert(row.code).second) << row.code;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.doc.empty());
  }
}

TEST(ExitCodes, SuccessIsNotReserved) {
  EXPECT_FALSE(IsReserved(0));
  EXPECT_FALSE(IsReserved(7));
  EXPECT_FALSE(IsReserved(137));
  for (const int code : {1, 2, 120, 121, 122, 123, 124, 125, 126, 130})
    EXPECT_TRUE(IsReserved(code)) << code;
}

struct Case {
  ErrorCode code;
  int own;          ///< of an error that kinetic found
  int from_server;  ///< of a request that a server rejected
};

TEST(ExitCodes, TellMistakesFromTrouble) {
  constexpr std::array<Case, 14> kCases{{
      {ErrorCode::kCancelled, 130, 130},
      {ErrorCode::kInvalidArgument, 2, 120},
      {ErrorCode::kUnauthenticated, 120, 120},
      {ErrorCode::kPermissionDenied, 120, 120},
      {ErrorCode::kNotFound, 2, 2},
      {ErrorCode::kAlreadyExists, 2, 120},
      {ErrorCode::kFailedPrecondition, 120, 120},
      {ErrorCode::kAborted, 120, 120},
      {ErrorCode::kResourceExhausted, 120, 120},
      {ErrorCode::kDeadlineExceeded, 120, 120},
      {ErrorCode::kUnavailable, 120, 120},
      {ErrorCode::kDataLoss, 120, 120},
      {ErrorCode::kUnimplemented, 2, 120},
      {ErrorCode::kInternal, 120, 120},
  }};
  for (const Case& each : kCases) {
    Error error{each.code, "message", "", {}};
    EXPECT_EQ(ExitCodeFor(error), each.own) << Name(each.code);
    error.details.emplace_back("status", "400");
    EXPECT_EQ(ExitCodeFor(error), each.from_server) << Name(each.code);
  }
}

TEST(ExitCodes, TheDocumentHasEachOne) {
  const std::string document = ExitCodesDocument();
  for (const ExitCodeInfo& row : ExitCodes())
    EXPECT_NE(document.find("| " + std::to_string(row.code) + " |"), std::string::npos);
}

}  // namespace
}  // namespace kinetic::cli
