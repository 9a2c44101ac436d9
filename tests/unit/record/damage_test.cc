// Damages stored documents: readers report the damage and its location, or return the original.

#include "support/damage.h"

#include "env/lock.h"
#include "record/log/segment.h"
#include "record/log/stored_log.h"
#include "record/object_names.h"
#include "record/outcome.h"
#include "record/status.h"
#include "sample.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <functional>
#include <string>

namespace kinetic::record {
namespace {

using testing::HasSubstr;

/// Reads a document and writes it back.
using Reader = std::function<Result<std::string>(std::string_view)>;

struct Document {
  std::string name;  ///< the prefix of each message
  std::string text;
  Reader read;
};

template <typename Read>
Reader ReadAndWrite(Read read) {
  return [read](std::string_view text) -> Result<std::string> {
    auto value = read(text);
    if (!value) return Failure(std::move(value).error());
    return ToJson(*value);
  };
}

Document RecordDocument() {
  return {"record.json", ToJson(SampleRecord()),
          ReadAndWrite([](std::string_view text) { return FromJson(text); })};
}

Document ResultDocument() {
  StoredOutcome stored;
  stored.outcome.state = JobState::kSucceeded;
  stored.outcome.value = Value(Value::Map{{"loss", Value(0.25)}, {"steps", Value(100)}});
  stored.written_by = "runner";
  stored.moments = {{"started", *ParseTime("2030-01-01T00:00:00Z"), "detail"}};
  return {"result.json", ToJson(stored),
          ReadAndWrite([](std::string_view text) { return OutcomeFromJson(text); })};
}

Document StatusDocument() {
  AttemptStatus status;
  status.id = "k-1";
  status.timeline = {{"claimed", *ParseTime("2030-01-01T00:00:00Z"), ""}};
  return {"status.json", ToJson(status),
          ReadAndWrite([](std::string_view text) { return StatusFromJson(text); })};
}

Document LockDocument() {
  env::Lock lock;
  lock.manifest_key = Sha256::Of("manifest");
  lock.python = "3.12";
  lock.platform = "linux-x86_64";
  lock.resolver = "pip 24";
  lock.resolved_at = *ParseTime("2030-01-01T00:00:00Z");
  lock.packages = {{"numpy", "2.0.0", "", {"sha256:" + Sha256::Of("numpy").Hex()}}};
  return {"lock", env::ToJson(lock), [](std::string_view text) -> Result<std::string> {
            auto read = env::LockFromJson(text);
            if (!read) return Failure(std::move(read).error());
            return env::ToJson(*read);
          }};
}

class DocumentDamageTest : public testing::TestWithParam<Document (*)()> {};

TEST_P(DocumentDamageTest, IsReportedOrHarmless) {
  const Document document = GetParam()();
  ASSERT_EQ(document.read(document.text).value_or(""), document.text);
  test::ForEachDamage(document.text, [&](const std::string& damaged, const std::string& how) {
    const auto read = document.read(damaged);
    if (read) {
      EXPECT_EQ(*read, document.text) << how;
      return;
    }
    EXPECT_EQ(read.error().code, ErrorCode::kDataLoss) << how;
    EXPECT_THAT(read.error().message, testing::StartsWith(document.name + ": ")) << how;
  });
}

TEST_P(DocumentDamageTest, ReportsTheRangeAndChecksumOfTheBytes) {
  const Document document = GetParam()();
  std::string damaged = document.text;
  const auto at = damaged.find("2030");
  damaged[at] = '3';
  const auto read = document.read(damaged);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("checksum mismatch: the first "));
  EXPECT_THAT(read.error().message, HasSubstr(document.text.substr(document.text.size() - 68, 64)));
}

TEST_P(DocumentDamageTest, HostileTextIsRejected) {
  const Document document = GetParam()();
  const std::string plain = WithoutChecksum(document.text);
  const std::string fields = ",\n" + plain.substr(plain.find('\n') + 1);
  const auto expect_rejected = [&](const std::string& text, const std::string& why) {
    const auto read = document.read(text);
    ASSERT_FALSE(read) << why;
    EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
    EXPECT_THAT(read.error().message, HasSubstr(why));
  };
  EXPECT_TRUE(document.read("{\"x\": 1" + fields));
  expect_rejected("{\"x\": " + std::string(1'000'000, '[') + fields, "nested deeper than 500");
  expect_rejected("{\"x\": 18446744073709551616" + fields, "does not fit in 64 bits");
  expect_rejected("{\"x\": 9223372036854775808" + fields,
                  "9223372036854775808 does not fit in 64 bits");
  expect_rejected("{\"x\": 1e999" + fields, "the number 1e999 is out of range");
  expect_rejected("{\"x\": " + std::string(100'000, '7') + fields, "is out of range");
  expect_rejected("{\"version\": 1" + fields, "duplicate key \"version\"");
  expect_rejected("{\"x\": \"\xff\"" + fields, "line 1, column 8");
  expect_rejected("{\"x\": \"\xed\xa0\x80\"" + fields, "line 1");
  expect_rejected("{\"x\": \"\n\"" + fields, "line");
  expect_rejected("{\"x\": \"" + std::string(100U << 20, 'x') + "\"" + fields,
                  "expected at most 16777216");
  expect_rejected("\xEF\xBB\xBF\xEF\xBB\xBF" + plain, "line 1");
  expect_rejected(plain + plain, "line");
}

INSTANTIATE_TEST_SUITE_P(All, DocumentDamageTest,
                         testing::Values(&RecordDocument, &ResultDocument, &StatusDocument,
                                         &LockDocument));

class LogDamageTest : public testing::Test {
 protected:
  void SetUp() override {
    Put(0, {"first\n", "second\n", std::string("\0\xff", 2)});
    Put(3, {"third\n", "fourth\n"});
    original_ = Read();
    ASSERT_EQ(original_.size(), 5U);
  }

  void Put(std::uint64_t first, const std::vector<std::string>& texts) {
    std::string plain = SegmentHeader(1, first);
    for (const auto& text : texts) AppendRecord(plain, Stream::kStdout, 5, text);
    SetBytes(first, Seal(plain));
  }
  void SetBytes(std::uint64_t first, std::string_view bytes) {
    const auto name = LogSegmentName(RunKey("k-1", 1), first);
    store_.Drop(name);
    ASSERT_TRUE(store::PutBytes(store_, name, bytes, store::Precondition::Absent(), {},
                                OwnerMetadata(job_)));
  }
  std::string Bytes(std::uint64_t first) {
    return store_.Peek(LogSegmentName(RunKey("k-1", 1), first)).value_or("");
  }

  /// Returns what was read, also before an error.
  std::vector<std::string> Read() {
    std::vector<std::string> lines;
    const auto collect = [&](const LogRecord& record) -> Status {
      lines.push_back(std::to_string(record.sequence) + ":" + std::string(record.text));
      return {};
    };
    const auto read = ReadStoredLog(store_, job_, 0, collect, {});
    error_ = read ? Error{} : read.error();
    failed_ = !read;
    return lines;
  }

  const JobKey job_{"k-1", "7"};
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
  std::vector<std::string> original_;
  Error error_;
  bool failed_ = false;
};

TEST_F(LogDamageTest, IsReportedOrHarmless) {
  const std::string whole = Bytes(3);
  test::ForEachDamage(whole, [&](const std::string& damaged, const std::string& how) {
    SetBytes(3, damaged);
    const auto lines = Read();
    if (!failed_) {
      EXPECT_EQ(lines, original_) << how;
      return;
    }
    EXPECT_EQ(error_.code, ErrorCode::kDataLoss) << how;
    EXPECT_THAT(error_.message, HasSubstr(LogSegmentName(RunKey("k-1", 1), 3))) << how;
    // The first segment is intact, and no record is invented.
    ASSERT_GE(lines.size(), 3U) << how;
    ASSERT_LE(lines.size(), original_.size()) << how;
    EXPECT_TRUE(std::equal(lines.begin(), lines.end(), original_.begin())) << how;
  });
}

TEST_F(LogDamageTest, DecompressionBombsNeedLittleMemory) {
  const auto compressed = [](std::size_t size) {
    const std::string zeros(size, '\0');
    std::string frame(ZSTD_compressBound(size), '\0');
    frame.resize(ZSTD_compress(frame.data(), frame.size(), zeros.data(), size, 19));
    return frame;
  };
  const std::string bomb = compressed(256U << 20);
  std::string many;
  while (many.size() < 1U << 20) many += compressed(1000);
  // A frame of 2^60 bytes, and one with a window of 1 GiB.
  const std::string claim("\x28\xb5\x2f\xfd\xe0\0\0\0\0\0\0\0\x10\1\0\0", 16);
  const std::string window("\x28\xb5\x2f\xfd\x00\xa0\1\0\0", 9);
  for (const std::string& sealed : {bomb, many, claim, window}) {
    SetBytes(3, sealed);
    const long grown = test::PeakMemoryOf([&] {
      Read();
      return failed_ && error_.code == ErrorCode::kDataLoss &&
             error_.message.find(LogSegmentName(RunKey("k-1", 1), 3)) != std::string::npos;
    });
    EXPECT_GE(grown, 0) << sealed.size();
    if (test::MemoryIsMeasurable()) {
      EXPECT_LE(grown, 24) << sealed.size();
    }
  }
}

TEST_F(LogDamageTest, ReportsSwappedSegments) {
  const std::string first = Bytes(0);
  SetBytes(0, Bytes(3));
  SetBytes(3, first);
  EXPECT_TRUE(Read().empty());
  EXPECT_TRUE(failed_);
  EXPECT_THAT(error_.message, HasSubstr("found record 3 of attempt 1, expected record 0"));
  SetBytes(0, first);
  EXPECT_EQ(Read().size(), 3U);
  EXPECT_THAT(error_.message, HasSubstr(LogSegmentName(RunKey("k-1", 1), 3)));
}

}  // namespace
}  // namespace kinetic::record
