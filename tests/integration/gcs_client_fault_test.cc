#include "base/hash/crc32c.h"
#include "integration/gcs_client_harness.h"

namespace kinetic::test {
namespace {

using gcs_server::Fault;
using gcs_server::FaultKind;

/// An operation of the client, and a check that must succeed after any network fault.
struct Deed {
  std::string name;
  void (*prepare)(const gcs::Client& client, const std::string& object);
  void (*act)(const gcs::Client& client, const std::string& object);
};

std::shared_ptr<http::Body> BodyOf(std::size_t size) {
  return std::make_shared<http::BytesBody>(Pattern(size));
}

void ExpectContent(const gcs::Client& client, const std::string& object, const std::string& bytes) {
  std::string read;
  const auto there = client.Read(object, {}, Into(read), {});
  ASSERT_TRUE(there) << there.error().message;
  ASSERT_TRUE(*there) << "nothing was stored";
  EXPECT_TRUE(read == bytes);
}

void NoPreparation(const gcs::Client&, const std::string&) {}

void StoreSmall(const gcs::Client& client, const std::string& object) {
  ASSERT_TRUE(client.Insert(object, BodyOf(100'000), {}, {}));
}

void Create(const gcs::Client& client, const std::string& object, std::size_t size) {
  const auto stored = client.Insert(object, BodyOf(size), {.if_generation = 0}, {});
  ASSERT_TRUE(stored) << stored.error().message;
  ASSERT_TRUE(*stored) << "not recognised as ours";
  ExpectContent(client, object, Pattern(size));
  const auto stat = client.Stat(object, {});
  EXPECT_TRUE(stat && *stat && (*stat)->generation == (*stored)->generation) << "stored once";
}

void CreateSmall(const gcs::Client& client, const std::string& object) {
  Create(client, object, 100'000);
}

void CreateLarge(const gcs::Client& client, const std::string& object) {
  Create(client, object, kLargeBytes);
}

void Replace(const gcs::Client& client, const std::string& object) {
  const auto before = client.Stat(object, {});
  ASSERT_TRUE(before && *before);
  const auto stored =
      client.Insert(object, BodyOf(70'000), {.if_generation = (*before)->generation}, {});
  ASSERT_TRUE(stored) << stored.error().message;
  ASSERT_TRUE(*stored) << "not recognised as ours";
  ExpectContent(client, object, Pattern(70'000));
}

void ReadWhole(const gcs::Client& client, const std::string& object) {
  ExpectContent(client, object, Pattern(100'000));
}

void ReadRange(const gcs::Client& client, const std::string& object) {
  std::string read;
  const auto there = client.Read(object, {.offset = 7, .length = 50'000}, Into(read), {});
  ASSERT_TRUE(there) << there.error().message;
  EXPECT_TRUE(read == Pattern(100'000).substr(7, 50'000));
}

void Look(const gcs::Client& client, const std::string& object) {
  const auto stat = client.Stat(object, {});
  ASSERT_TRUE(stat) << stat.error().message;
  EXPECT_TRUE(*stat && (*stat)->size_bytes == 100'000);
}

void ListAll(const gcs::Client& client, const std::string& object) {
  int seen = 0;
  const auto each = [&](const gcs::Object& listed) -> Result<bool> {
    seen += static_cast<int>(listed.name == object);
    return true;
  };
  const auto listed = client.List({}, each, nullptr, {});
  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(seen, 1);
}

void Touch(const gcs::Client& client, const std::string& object) {
  Value changes{Value::Map{}};
  changes.Set("customTime", "2026-11-21T09:00:00Z");
  Value metadata{Value::Map{}};
  metadata.Set("owner", object);
  changes.Set("metadata", std::move(metadata));
  const auto patched = client.Patch(object, changes, {.if_metageneration = 1}, {});
  ASSERT_TRUE(patched) << patched.error().message;
  ASSERT_TRUE(*patched) << "not recognised as ours";
  EXPECT_EQ((*patched)->metageneration, 2) << "changed once";
  EXPECT_EQ((*patched)->metadata.at("owner"), object);
}

void Remove(const gcs::Client& client, const std::string& object) {
  const auto before = client.Stat(object, {});
  ASSERT_TRUE(before && *before);
  const auto deleted = client.Delete(object, {.if_generation = (*before)->generation}, {});
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_NE(*deleted, gcs::Client::DeleteResult::kPreconditionFailed);
  const auto after = client.Stat(object, {});
  ASSERT_TRUE(after) << after.error().message;
  EXPECT_FALSE(*after);
}

void Join(const gcs::Client& client, const std::string& object) {
  const auto part = client.Stat(object, {});
  ASSERT_TRUE(part && *part);
  const auto whole = client.Compose({**part, **part}, object + "+", {.if_generation = 0}, {});
  ASSERT_TRUE(whole) << whole.error().message;
  ASSERT_TRUE(*whole) << "not recognised as ours";
  ExpectContent(client, object + "+", Pattern(100'000) + Pattern(100'000));
}

const std::vector<Deed> kDeeds{
    {"CreateSmall", NoPreparation, CreateSmall},
    {"CreateLarge", NoPreparation, CreateLarge},
    {"Replace", StoreSmall, Replace},
    {"ReadWhole", StoreSmall, ReadWhole},
    {"ReadRange", StoreSmall, ReadRange},
    {"Stat", StoreSmall, Look},
    {"List", StoreSmall, ListAll},
    {"Patch", StoreSmall, Touch},
    {"Delete", StoreSmall, Remove},
    {"Compose", StoreSmall, Join},
};

const std::vector<Fault> kFaults{
    {.kind = FaultKind::kLoseReply},
    {.status = 503},
    {.status = 500, .at_byte = 50'000},
    {.status = 502},
    {.status = 504},
    {.status = 408},
    {.status = 429, .retry_after = 7},
    {.kind = FaultKind::kResetBeforeBody},
    {.kind = FaultKind::kResetInBody, .at_byte = 50'000},
    {.kind = FaultKind::kResetAfterBody},
    {.kind = FaultKind::kStallBody, .at_byte = 20},
    {.kind = FaultKind::kResetReply, .at_byte = 10},
    {.kind = FaultKind::kStallReply, .at_byte = 10},
    {.kind = FaultKind::kTruncateReply, .at_byte = 10},
};

using Pair = std::tuple<Deed, Fault>;

class ClientFault : public ClientTest, public testing::WithParamInterface<Pair> {};

/// Repeats the operation with the fault at its first request, its second, and so on.
TEST_P(ClientFault, SurvivesFaultAtAnyRequest) {
  const auto& [deed, fault] = GetParam();
  for (std::uint64_t at = 0;; ++at) {
    const std::string object = "o" + std::to_string(at);
    deed.prepare(client_, object);
    const std::uint64_t first = server_->requests();
    Fault here = fault;
    here.index = first + at;
    server_->faults().Add(here);
    deed.act(client_, object);
    if (HasFatalFailure() || HasNonfatalFailure()) {
      ADD_FAILURE() << "with the fault at request " << at << " of the deed";
      for (const auto& seen : server_->log().All()) {
        if (seen.index < first) continue;
        std::cerr << seen.index - first << ' ' << seen.method << ' ' << seen.target << ' '
                  << seen.status << ' ' << seen.fault << '\n';
      }
      return;
    }
    server_->faults().Clear();
    if (server_->requests() <= first + at) {
      EXPECT_GT(at, 0U);
      return;
    }
  }
}

std::string NameOf(const testing::TestParamInfo<Pair>& info) {
  const auto& [deed, fault] = info.param;
  std::string name = deed.name + "_" + std::string(gcs_server::Name(fault.kind));
  if (fault.kind == FaultKind::kAnswer) name += std::to_string(fault.status);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(, ClientFault,
                         testing::Combine(testing::ValuesIn(kDeeds), testing::ValuesIn(kFaults)),
                         NameOf);

using ClientDamage = ClientTest;

TEST_F(ClientDamage, DamagedUploadIsNotStored) {
  for (const std::size_t size : {std::size_t{100'000}, kLargeBytes}) {
    for (const std::uint64_t at : {std::uint64_t{60'000}, std::uint64_t{size - 5}}) {
      const std::string name = std::to_string(size) + "/" + std::to_string(at);
      server_->faults().Add(
          {.kind = FaultKind::kFlipBody, .path = "*upload*", .times = 1, .at_byte = at});
      const auto stored = client_.Insert(name, Body(Pattern(size)), {.if_generation = 0}, {});
      ASSERT_TRUE(stored && *stored) << stored.error().message;
      EXPECT_TRUE(ReadBytes(name) == Pattern(size));
      for (const auto& seen : server_->log().All()) {
        EXPECT_NE(seen.method, "DELETE") << "it was stored, for a moment";
      }
      server_->faults().Clear();
    }
  }
}

TEST_F(ClientDamage, PermanentUploadDamageIsReported) {
  for (const std::size_t size : {std::size_t{100'000}, kLargeBytes}) {
    const std::string name = std::to_string(size);
    server_->faults().Add(
        {.kind = FaultKind::kFlipBody, .path = "*upload*", .times = 0, .at_byte = 60'000});
    const auto stored = client_.Insert(name, Body(Pattern(size)), {.if_generation = 0}, {});
    ASSERT_FALSE(stored);
    EXPECT_EQ(stored.error().code, ErrorCode::kDataLoss) << stored.error().message;
    server_->faults().Clear();
    EXPECT_FALSE(ReadBytes(name)) << "nothing damaged is left";
  }
}

TEST_F(ClientDamage, PermanentDownloadDamageIsReported) {
  Insert("x", Pattern(2'000'000));
  server_->faults().Add(
      {.kind = FaultKind::kFlipReply, .path = "*alt=media*", .at_byte = 1'234'567});
  std::string bytes;
  const auto read = client_.Read("x", {}, Into(bytes), {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
  EXPECT_TRUE(ReadBytes("x") == Pattern(2'000'000));
}

TEST_F(ClientDamage, ReadDoesNotMixGenerations) {
  Insert("x", Pattern(2'000'000));
  server_->faults().Add(
      {.kind = FaultKind::kResetReply, .path = "*alt=media*", .at_byte = 1'500'000});
  std::string bytes;
  bool replaced = false;
  const auto sink = [&](std::string_view piece) -> Status {
    bytes += piece;
    if (!std::exchange(replaced, true)) Store("x", std::string(2'000'000, 'n'));
    return {};
  };
  const auto read = client_.Read("x", {}, sink, {});
  ASSERT_FALSE(read) << "what follows the cut is of another generation, or nothing";
  EXPECT_EQ(read.error().code, ErrorCode::kAborted) << read.error().message;
}

TEST_F(ClientDamage, DamagedLastByteIsDetected) {
  Insert("x", Pattern(2'000'000));
  server_->faults().Add(
      {.kind = FaultKind::kFlipReply, .path = "*alt=media*", .at_byte = 1'999'999});
  std::string bytes;
  EXPECT_FALSE(client_.Read("x", {}, Into(bytes), {}));
}

TEST_F(ClientDamage, SmallReadIsRepeatedBeforeItIsPassedOn) {
  Insert("x", Pattern(100'000));
  server_->faults().Add({.kind = FaultKind::kFlipReply, .path = "*alt=media*", .at_byte = 7});
  server_->faults().Add({.kind = FaultKind::kResetReply,
                         .path = "*alt=media*",
                         .skip = 1,
                         .times = 1,
                         .at_byte = 50'000});
  std::string bytes;
  const auto read = client_.Read("x", {}, Into(bytes), {});
  ASSERT_TRUE(read && *read) << read.error().message;
  EXPECT_TRUE(bytes == Pattern(100'000));
}

TEST_F(ClientDamage, PermanentDamageOfSmallReadPassesNothingOn) {
  Insert("x", Pattern(100'000));
  server_->faults().Add(
      {.kind = FaultKind::kFlipReply, .path = "*alt=media*", .times = 0, .at_byte = 7});
  std::string bytes;
  const auto read = client_.Read("x", {}, Into(bytes), {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDataLoss);
  EXPECT_EQ(bytes, "");
}

TEST_F(ClientDamage, ErrorOfReaderIsNotRetried) {
  Insert("x", Pattern(100'000));
  server_->faults().Add({.kind = FaultKind::kFlipReply, .path = "*alt=media*", .at_byte = 7});
  std::string bytes;
  const auto sink = [&](std::string_view piece) -> Status {
    bytes += piece;
    return Fail(ErrorCode::kDataLoss, "the reader's own words");
  };
  const auto read = client_.Read("x", {}, sink, {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "the reader's own words");
  EXPECT_TRUE(bytes == Pattern(100'000)) << "passed on once";
}

}  // namespace
}  // namespace kinetic::test
