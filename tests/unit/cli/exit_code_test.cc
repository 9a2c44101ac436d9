#include "exit_code.h"

#include <gtest/gtest.h>

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

TEST(ExitCodes, TellMistakesFromTrouble) {
  EXPECT_EQ(ExitCodeFor(ErrorCode::kInvalidArgument), 2);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kNotFound), 2);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kAlreadyExists), 2);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kUnimplemented), 2);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kCancelled), 130);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kUnavailable), 120);
  EXPECT_EQ(ExitCodeFor(ErrorCode::kInternal), 120);
}

TEST(ExitCodes, TheDocumentHasEachOne) {
  const std::string document = ExitCodesDocument();
  for (const ExitCodeInfo& row : ExitCodes())
    EXPECT_NE(document.find("| " + std::to_string(row.code) + " |"), std::string::npos);
}

}  // namespace
}  // namespace kinetic::cli
