#include "record/array_references.h"

#include "base/strings.h"
#include "record/object_names.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "unit/record/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace kinetic::record {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

const std::string kSmall(1000, 's');
const std::string kLarge(100'000, 'l');

Value Npy(const std::string& content) {
  return Value::Map{{"$npy", Value::Content(Bytes(content))}};
}

/// Arguments with a large array by position and by name, and a small one.
Arguments MakeArguments() {
  return {.positional = {Value(Value::List{Npy(kSmall), Npy(kLarge)})},
          .named = {{"options", Value(Value::Map{{"weights", Npy(kLarge)}})}}};
}

class ArrayReferences : public testing::Test {
 protected:
  void Store(const ArrayContents& arrays) {
    for (const auto& [digest, content] : arrays) {
      ASSERT_TRUE(store::PutBytes(store_, ArgumentArrayName(record_.id, record_.nonce, digest),
                                  content.view(), store::Precondition::Absent(), {}));
    }
  }

  Status Load(Arguments& args) { return LoadArrays(store_, record_, args, ArrayUse::kOwn, {}); }

  const Record record_ = SampleRecord();
  test::FakeClock clock_;
  test::MemoryStore store_{clock_};
};

TEST_F(ArrayReferences, OnlyLargeArraysAreExtracted) {
  Arguments args = MakeArguments();
  const Digest digest = Sha256::Of(kLarge);
  EXPECT_THAT(ExtractArrays(args), ElementsAre(Pair(digest, Bytes(kLarge))));
  EXPECT_EQ((*args.positional[0].AsList())[0], Npy(kSmall));
  EXPECT_EQ(args.named[0].second.ToJson(),
            R"({"weights":{"$npy":{"$ref":")" + digest.Hex() + R"("}}})");
  EXPECT_THAT(ReferredArrays(args), ElementsAre(ArrayReference{digest}, ArrayReference{digest}));
  EXPECT_THAT(ExtractArrays(args), IsEmpty());
}

TEST_F(ArrayReferences, ArraysInBase64AreExtracted) {
  Arguments args{.positional = {Value(Value::Map{{"$npy", Base64Encode(kLarge)}})}};
  EXPECT_THAT(ExtractArrays(args), ElementsAre(Pair(Sha256::Of(kLarge), Bytes(kLarge))));
}

TEST_F(ArrayReferences, TextThatIsNotBase64IsKept) {
  Arguments args{.positional = {Value(Value::Map{{"$npy", std::string(100'000, '?')}})}};
  EXPECT_THAT(ExtractArrays(args), IsEmpty());
}

TEST_F(ArrayReferences, AreLoaded) {
  Arguments args = MakeArguments();
  Store(ExtractArrays(args));
  ASSERT_TRUE(LoadArrays(store_, record_, args, ArrayUse::kOwn, {}));
  EXPECT_EQ(args, MakeArguments());
}

TEST_F(ArrayReferences, MissingAndDamagedArraysAreErrors) {
  Arguments args = MakeArguments();
  ArrayContents arrays = ExtractArrays(args);
  Arguments unread = args;
  EXPECT_EQ(Load(unread).error().code, ErrorCode::kDataLoss);
  arrays.begin()->second = Bytes("x");
  Store(arrays);
  EXPECT_EQ(Load(args).error().code, ErrorCode::kDataLoss);
}

TEST_F(ArrayReferences, SharedArraysBelongToNoJob) {
  const Digest digest = Sha256::Of(kLarge);
  Value value = Npy(kLarge);
  EXPECT_THAT(ExtractArrays(value, ArrayUse::kShared), ElementsAre(Pair(digest, Bytes(kLarge))));
  EXPECT_EQ(value.ToJson(), R"({"$npy":{"$shared":")" + digest.Hex() + R"("}})");
  Arguments args{.positional = {value}};
  EXPECT_THAT(ExtractArrays(args), IsEmpty());
  const ArrayReference shared{digest, ArrayUse::kShared};
  EXPECT_THAT(ReferredArrays(args), ElementsAre(shared));
  EXPECT_EQ(NameOf(shared, record_), "arrays/" + digest.Hex());
  ASSERT_TRUE(PutArray(store_, NameOf(shared, record_), Bytes(kLarge), {}));
  ASSERT_TRUE(Load(args));
  EXPECT_EQ(args.positional[0], value) << "only those of the job are loaded";
  ASSERT_TRUE(LoadArrays(store_, record_, args, ArrayUse::kShared, {}));
  EXPECT_EQ(args.positional[0], Npy(kLarge));
}

}  // namespace
}  // namespace kinetic::record
