#include "base/hash/crc32c.h"
#include "base/time/clock.h"
#include "integration/gcs_client_harness.h"

#include <algorithm>

namespace kinetic::test {
namespace {

using ClientObject = ClientTest;

TEST_F(ClientObject, RoundTripsAtEverySize) {
  const std::size_t limit = 8U << 20;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, kQuantum - 1, kQuantum, kQuantum + 1, limit - 1, limit,
        limit + 1, limit + kQuantum, limit + kQuantum + 1, kLargeBytes}) {
    const std::string bytes = Pattern(size);
    const std::string name = "size/" + std::to_string(size);
    const gcs::Object stored = Insert(name, bytes);
    EXPECT_EQ(stored.size_bytes, size);
    EXPECT_EQ(stored.crc32c, Crc32c().Update(bytes).Base64());
    EXPECT_TRUE(ReadBytes(name) == bytes) << size;
  }
}

TEST_F(ClientObject, AcceptsUnusualNames) {
  for (const std::string name : {"a b", "a%2Fb", "ä/ß/日本", "a+b?c=d&e#f", "..a/..b", "'\"\\<>|*",
                                 "a//b", "trailing/", "%", "b/o/x?alt=media"}) {
    Insert(name, name);
    EXPECT_EQ(ReadBytes(name), name);
    const auto stat = client_.Stat(name, {});
    ASSERT_TRUE(stat && *stat) << name;
    EXPECT_EQ((*stat)->name, name);
    EXPECT_EQ(client_.Delete(name, {}, {}), gcs::Client::DeleteResult::kDeleted) << name;
  }
}

TEST_F(ClientObject, RejectsInvalidName) {
  const auto object = client_.Insert("two\nlines", Body("x"), {}, {});
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(object.error().message.find('\n'), std::string::npos) << object.error().message;
}

TEST_F(ClientObject, HonorsGenerationPrecondition) {
  for (const std::size_t size : {std::size_t{5}, kLargeBytes}) {
    const std::string name = "once/" + std::to_string(size);
    const gcs::Object first = Insert(name, Pattern(size));
    const auto second =
        client_.Insert(name, Body(std::string(size, 'x')), {.if_generation = 0}, {});
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_FALSE(*second);
    EXPECT_TRUE(ReadBytes(name) == Pattern(size));
    const auto third =
        client_.Insert(name, Body(std::string(size, 'x')), {.if_generation = first.generation}, {});
    ASSERT_TRUE(third && *third);
    const auto late = client_.Insert(name, Body("late"), {.if_generation = first.generation}, {});
    ASSERT_TRUE(late) << late.error().message;
    EXPECT_FALSE(*late);
  }
}

TEST_F(ClientObject, KeepsMetadataAndTime) {
  const WallTime time = *ParseTime("2026-11-21T09:00:00Z");
  for (const std::size_t size : {std::size_t{5}, kLargeBytes}) {
    const std::string name = "kept/" + std::to_string(size);
    Insert(name, Pattern(size), {.metadata = {{"kind", "täst"}}, .custom_time = time});
    const auto stat = client_.Stat(name, {});
    ASSERT_TRUE(stat && *stat);
    EXPECT_EQ((*stat)->metadata.at("kind"), "täst");
    EXPECT_EQ((*stat)->custom_time, time);
    EXPECT_EQ((*stat)->metageneration, 1);
  }
}

TEST_F(ClientObject, IsReadInRanges) {
  const std::string bytes = Pattern(1'000'000);
  const gcs::Object first = Insert("r", bytes);
  for (const auto& [offset, length] :
       std::initializer_list<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 1}, {0, 0}, {1, 999'998}, {999'999, 1}, {999'990, 100}, {0, 1'000'000}}) {
    EXPECT_TRUE(ReadBytes("r", {.offset = offset, .length = length}) ==
                bytes.substr(offset, length));
  }
  EXPECT_TRUE(ReadBytes("r", {.offset = 500'000}) == bytes.substr(500'000));
  EXPECT_EQ(ReadBytes("r", {.offset = 1'000'000}), "");
  EXPECT_EQ(ReadBytes("r", {.offset = 5'000'000, .length = 5}), "");
  Insert("r", "newer", {});
  EXPECT_EQ(ReadBytes("r"), "newer");
  EXPECT_EQ(ReadBytes("r", {.generation = first.generation}), std::nullopt);
  EXPECT_EQ(ReadBytes("none"), std::nullopt);
}

TEST_F(ClientObject, IsNotDecompressed) {
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00"
      "\x00\x00",
      25);
  Json("POST", "/upload/storage/v1/b/b/o?uploadType=media&name=z&contentEncoding=gzip", packed);
  std::string bytes;
  const auto object = client_.Read("z", {}, Into(bytes), {});
  ASSERT_TRUE(object && *object);
  EXPECT_EQ(bytes, packed);
  EXPECT_EQ((*object)->content_encoding, "gzip");
  EXPECT_EQ((*object)->size_bytes, packed.size());
  EXPECT_EQ(ReadBytes("z", {.offset = 2, .length = 3}), packed.substr(2, 3));
}

TEST_F(ClientObject, IsListedInOrder) {
  std::vector<std::string> all;
  for (int i = 0; i < 25; ++i) {
    all.push_back("l/" + std::to_string(i / 10) + "/" + std::to_string(i));
    Insert(all.back(), "x");
  }
  Insert("m", "x");
  std::sort(all.begin(), all.end());
  EXPECT_EQ(Names({.prefix = "l/"}), all);
  EXPECT_EQ(Names({.prefix = "l/", .start = all[3]}),
            std::vector<std::string>(all.begin() + 3, all.end()));
  EXPECT_EQ(Names({.prefix = "none"}), std::vector<std::string>());
  std::vector<std::string> prefixes;
  const auto none = [](const gcs::Object&) -> Result<bool> { return true; };
  ASSERT_TRUE(client_.List({.prefix = "l/", .delimiter = "/"}, none, &prefixes, {}));
  EXPECT_EQ(prefixes, (std::vector<std::string>{"l/0/", "l/1/", "l/2/"}));
}

class ClientPages : public ClientTest {
 protected:
  ClientPages() : ClientTest({.behavior = {.page_limit = 3, .empty_pages = true}}) {}
};

TEST_F(ClientPages, AreReadCompletely) {
  std::vector<std::string> all;
  for (int i = 10; i < 20; ++i) {
    all.push_back(std::to_string(i));
    Insert(all.back(), "x");
  }
  EXPECT_EQ(Names(), all);
  int seen = 0;
  const std::uint64_t before = server_->requests();
  const auto two = [&](const gcs::Object&) -> Result<bool> { return ++seen < 2; };
  ASSERT_TRUE(client_.List({}, two, nullptr, {}));
  EXPECT_EQ(seen, 2);
  EXPECT_EQ(server_->requests(), before + 2) << "fetches only needed pages";
}

TEST_F(ClientObject, HonorsPreconditionsOfChanges) {
  const gcs::Object first = Insert("p", "x");
  Value changes{Value::Map{}};
  changes.Set("customTime", "2026-11-21T09:00:00Z");
  const auto patched = client_.Patch("p", changes, {.if_metageneration = 1}, {});
  ASSERT_TRUE(patched && *patched);
  EXPECT_EQ((*patched)->metageneration, 2);
  changes.Set("customTime", "2026-11-22T09:00:00Z");
  const auto late = client_.Patch("p", changes, {.if_metageneration = 1}, {});
  ASSERT_TRUE(late) << late.error().message;
  EXPECT_FALSE(*late);
  const auto absent = client_.Patch("none", changes, {}, {});
  ASSERT_TRUE(absent);
  EXPECT_FALSE(*absent);
  using enum gcs::Client::DeleteResult;
  EXPECT_EQ(client_.Delete("p", {.if_generation = first.generation, .if_metageneration = 1}, {}),
            kPreconditionFailed);
  EXPECT_EQ(client_.Delete("p", {.if_generation = first.generation, .if_metageneration = 2}, {}),
            kDeleted);
  EXPECT_EQ(client_.Delete("p", {.if_generation = first.generation}, {}), kAbsent);
}

TEST_F(ClientObject, ComposesObjects) {
  const std::vector<gcs::Object> parts{Insert("p1", "one "), Insert("p2", "two "),
                                       Insert("p3", "")};
  const auto whole = client_.Compose(parts, "whole/of them", {.if_generation = 0}, {});
  ASSERT_TRUE(whole) << whole.error().message;
  ASSERT_TRUE(*whole);
  EXPECT_EQ((*whole)->crc32c, Crc32c().Update("one two ").Base64());
  EXPECT_EQ(ReadBytes("whole/of them"), "one two ");
  const auto again = client_.Compose(parts, "whole/of them", {.if_generation = 0}, {});
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again);
  Insert("p2", "new", {});
  const auto stale = client_.Compose(parts, "other", {.if_generation = 0}, {});
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, ErrorCode::kNotFound);
}

TEST_F(ClientObject, ReportsMissingBucket) {
  const gcs::Client lost(*transport_, clock_, "nowhere", Options());
  std::string bytes;
  const auto each = [](const gcs::Object&) -> Result<bool> { return true; };
  const auto stored = lost.Insert("x", Body("x"), {}, {});
  const auto large = lost.Insert("x", Body(Pattern(kLargeBytes)), {.if_generation = 0}, {});
  const auto read = lost.Read("x", {}, Into(bytes), {});
  const auto stat = lost.Stat("x", {});
  const auto listed = lost.List({}, each, nullptr, {});
  const auto deleted = lost.Delete("x", {}, {});
  for (const Error* error :
       {stored ? nullptr : &stored.error(), large ? nullptr : &large.error(),
        read ? nullptr : &read.error(), stat ? nullptr : &stat.error(),
        listed ? nullptr : &listed.error(), deleted ? nullptr : &deleted.error()}) {
    ASSERT_NE(error, nullptr) << "a missing bucket is not reported as a missing object";
    EXPECT_EQ(error->code, ErrorCode::kNotFound);
    EXPECT_NE(error->hint.find("gs://nowhere"), std::string::npos) << error->hint;
  }
}

}  // namespace
}  // namespace kinetic::test
