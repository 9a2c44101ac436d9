// The folder store and the store in memory respond alike to random requests.

#include "store/folder_store.h"
#include "store/source.h"
#include "support/fake_clock.h"
#include "support/memory_store.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::store {
namespace {

/// One request. The kind decides which fields are used.
struct Question {
  int kind = 0;
  std::string name;
  std::string other;
  std::string content;
  bool with_metadata = false;
  bool current = true;  ///< the current generation, or an earlier one
};

std::ostream& operator<<(std::ostream& out, const Question& question) {
  return out << "{" << question.kind << " " << question.name << " " << question.other << " "
             << question.content.size() << " " << question.with_metadata << question.current << "}";
}

/// Names that share prefixes, folders and characters around '/'.
rc::Gen<std::string> AnyName() {
  return rc::gen::element<std::string>("a", "a-", "a.b", "a0", "b/a", "b/a-", "b/a/c", "b/a0", "b-",
                                       "b/b/b/b", "c", "c/", "", "ü/x", "b/b");
}

rc::Gen<std::string> AnyContent() {
  return rc::gen::element<std::string>("", "x", "KNTCMETA", std::string("\0\0\0\0KNTCMETA", 12),
                                       std::string(5000, 'y'), "0123456789");
}

rc::Gen<Question> AnyQuestion() {
  return rc::gen::build<Question>(
      rc::gen::set(&Question::kind, rc::gen::inRange(0, 7)),
      rc::gen::set(&Question::name, AnyName()), rc::gen::set(&Question::other, AnyName()),
      rc::gen::set(&Question::content, AnyContent()),
      rc::gen::set(&Question::with_metadata, rc::gen::arbitrary<bool>()),
      rc::gen::set(&Question::current, rc::gen::arbitrary<bool>()));
}

/// A store and the generations seen in it.
struct Asked {
  Store& store;
  std::map<std::string, ObjectInfo> seen = {};
};

std::string Describe(const Result<std::optional<ObjectInfo>>& info) {
  if (!info) return "error " + std::string(Name(info.error().code));
  if (!*info) return "nothing";
  std::string text = (*info)->name + " " + std::to_string((*info)->size_bytes);
  for (const auto& [key, value] : (*info)->metadata) text.append(" ").append(key).append(value);
  return text;
}

std::string Put(Asked& asked, const Question& question) {
  BytesSource source(question.content);
  PutOptions options;
  if (question.with_metadata) options.metadata = {{"k", question.content.substr(0, 4)}};
  auto precondition = Precondition::Absent();
  if (question.kind == 1) {
    auto there = asked.store.Stat(question.name, {});
    if (there && *there && question.current) asked.seen[question.name] = **there;
    precondition = Precondition::Generation(asked.seen[question.name].generation);
  }
  return Describe(asked.store.Put(question.name, source, precondition, options, {}));
}

std::string Read(Asked& asked, const Question& question) {
  std::string bytes;
  const Range range{question.content.size() / 2,
                    question.current ? std::optional(3U) : std::nullopt};
  const auto sink = [&](std::string_view piece) -> Status {
    bytes += piece;
    return {};
  };
  const auto read = asked.store.Get(question.name, range, sink, {});
  if (!read) return "error " + std::string(Name(read.error().code));
  return *read ? std::to_string((*read)->size_bytes) + " " + bytes : "nothing";
}

std::string List(Asked& asked, const Question& question) {
  std::string names;
  const auto listed = asked.store.List(question.name, question.other,
                                       [&](const ObjectInfo& info) -> Result<bool> {
                                         names += Describe(std::optional(info)) + "\n";
                                         return names.size() < 100;
                                       },
                                       {});
  return listed ? names : "error";
}

std::string Remove(Asked& asked, const Question& question) {
  // In a folder, this is the name of a folder that cannot be listed.
  if (question.name.ends_with('/')) return "";
  auto there = asked.store.Stat(question.name, {});
  if (there && *there && question.current) asked.seen[question.name] = **there;
  ObjectInfo seen = asked.seen[question.name];
  seen.name = question.name;
  const auto removed = asked.store.RemoveIfUnchanged(seen, {});
  if (!removed) return "error " + std::string(Name(removed.error().code));
  return std::to_string(static_cast<int>(*removed));
}

std::string Ask(Asked& asked, const Question& question) {
  switch (question.kind) {
    case 0:
    case 1:
      return Put(asked, question);
    case 2:
      return Read(asked, question);
    case 3:
      return Describe(asked.store.Stat(question.name, {}));
    case 4:
      return List(asked, question);
    case 5:
      return Describe(asked.store.Touch(question.name, {}, {}));
    default:
      return Remove(asked, question);
  }
}

RC_GTEST_PROP(StoreProperty, FolderAndBucketBehaveAlike, ()) {
  const auto questions = *rc::gen::container<std::vector<Question>>(AnyQuestion());
  const test::TempTree tree;
  test::FakeClock clock;
  std::filesystem::create_directory(tree / "store");
  FolderStore folder(tree / "store", PosixFileSystem(), clock);
  test::MemoryStore memory(clock);
  Asked one{folder};
  Asked two{memory};
  for (const Question& question : questions) {
    RC_ASSERT(Ask(one, question) == Ask(two, question));
    clock.Advance(std::chrono::seconds(1));
  }
}

}  // namespace
}  // namespace kinetic::store
