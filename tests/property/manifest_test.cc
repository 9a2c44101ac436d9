#include "env/dependencies/manifest.h"

#include "env/lock.h"
#include "env/pep/version.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kinetic::env {
namespace {

/// The meaning of a requirement, independent of its spelling.
struct Wanted {
  std::string name;
  std::vector<std::string> extras;
  std::vector<std::string> clauses;
  std::string marker;
};

Wanted AnyWanted(int number) {
  static const std::vector<std::string> kClauses{">=1.0", "<9",    "!=3.1",
                                                 "~=2.0", "==4.*", ">0.1rc1"};
  static const std::vector<std::string> kMarkers{"", "python_version >= \"3.9\"",
                                                 "os_name == \"posix\" or os_name == \"nt\""};
  Wanted wanted;
  wanted.name = "pack-age" + std::to_string(number);
  wanted.extras = *rc::gen::unique<std::vector<std::string>>(
      2, rc::gen::element<std::string>("fast", "gpu-all", "x"));
  wanted.clauses = *rc::gen::unique<std::vector<std::string>>(*rc::gen::inRange<std::size_t>(0, 3),
                                                              rc::gen::elementOf(kClauses));
  wanted.marker = *rc::gen::elementOf(kMarkers);
  return wanted;
}

template <typename T>
std::vector<T> Shuffled(std::vector<T> items) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[*rc::gen::inRange<std::size_t>(0, i)]);
  }
  return items;
}

/// Returns another spelling of the same name.
std::string Spelled(const std::string& name) {
  std::string spelled;
  for (const char c : name) {
    if (c == '-') {
      spelled += *rc::gen::element<std::string>("-", "_", ".", "-_");
    } else {
      const bool upper = c >= 'a' && c <= 'z' && *rc::gen::arbitrary<bool>();
      spelled += upper ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return spelled;
}

std::string Space() { return *rc::gen::element<std::string>("", " ", "\t", "  "); }

std::string Line(const Wanted& wanted) {
  std::string line = Space() + Spelled(wanted.name) + Space();
  if (!wanted.extras.empty()) {
    line += '[';
    for (const auto& extra : Shuffled(wanted.extras)) {
      line += (line.back() == '[' ? "" : ",") + Space() + Spelled(extra) + Space();
    }
    line += ']';
  }
  bool first = true;
  for (const auto& clause : Shuffled(wanted.clauses)) {
    line += (first ? "" : ",") + Space() + clause + Space();
    first = false;
  }
  if (!wanted.marker.empty()) {
    std::string marker = wanted.marker;
    if (*rc::gen::arbitrary<bool>()) std::replace(marker.begin(), marker.end(), '"', '\'');
    line += Space() + ";" + Space() + marker;
  }
  return line + *rc::gen::element<std::string>("", " # why", "  #", " \\\n  ");
}

/// Returns a file with all requirements in random order and layout.
std::string File(const std::vector<Wanted>& all) {
  const std::string end = *rc::gen::element<std::string>("\n", "\r\n", "\n\n", "\n# a comment\n");
  std::string text = *rc::gen::element<std::string>("", "# head\n", "\xEF\xBB\xBF");
  for (const auto& wanted : Shuffled(all)) {
    std::string line = Line(wanted);
    const bool continued = line.ends_with("\\\n  ");
    text += line + (continued ? "\n" : end);
    if (*rc::gen::inRange(0, 8) == 0) text += Line(wanted) + "\n";
  }
  return text;
}

Digest KeyOf(const std::string& text) {
  const test::TempTree tree;
  tree.Write("requirements.txt", text);
  ManifestOptions options;
  options.search_start = options.search_root = tree.path();
  options.python = "3.12";
  options.platform = "linux-x86_64";
  const auto manifest = ReadManifest(PosixFileSystem(), options);
  RC_ASSERT(manifest.has_value());
  return manifest->Key();
}

TEST(ManifestKey, IsIndependentOfLayout) {
  ASSERT_TRUE(rc::check("one meaning, one key", [] {
    std::vector<Wanted> all;
    const int count = *rc::gen::inRange(1, 6);
    for (int i = 0; i < count; ++i) all.push_back(AnyWanted(i));
    const std::string one = File(all);
    const std::string other = File(all);
    RC_LOG() << one << "\n-- and --\n" << other << "\n";
    const Digest key = KeyOf(one);
    RC_ASSERT(KeyOf(other) == key);

    auto& changed = all[*rc::gen::inRange<std::size_t>(0, all.size())];
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        changed.clauses.push_back("<77");
        break;
      case 1:
        changed.extras.emplace_back("more");
        break;
      case 2:
        changed.marker = "sys_platform == \"linux\"";
        break;
      default:
        changed.name += "x";
    }
    RC_ASSERT(KeyOf(File(all)) != key);
  }));
}

rc::Gen<std::string> AnyVersion() {
  return rc::gen::exec([] {
    std::string text = *rc::gen::element<std::string>("", "", "1!");
    const int parts = *rc::gen::inRange(1, 4);
    for (int i = 0; i < parts; ++i)
      text += (i > 0 ? "." : "") + std::to_string(*rc::gen::inRange(0, 4));
    text += *rc::gen::element<std::string>("", "", "a1", "b2", "rc0", ".RC1", "-alpha");
    text += *rc::gen::element<std::string>("", "", ".post1", "-2");
    text += *rc::gen::element<std::string>("", "", ".dev0", ".dev3");
    return text + *rc::gen::element<std::string>("", "", "+cpu", "+1.x", "+10");
  });
}

TEST(VersionOrder, IsTotalAndStableUnderPrinting) {
  ASSERT_TRUE(rc::check("print, parse and order", [] {
    const auto a = Version::Parse(*AnyVersion());
    const auto b = Version::Parse(*AnyVersion());
    const auto c = Version::Parse(*AnyVersion());
    RC_ASSERT(a.has_value() && b.has_value() && c.has_value());
    const auto printed = Version::Parse(a->ToString());
    RC_ASSERT(printed.has_value());
    RC_ASSERT(printed->ToString() == a->ToString());
    RC_ASSERT(*printed == *a);
    RC_ASSERT((*a < *b) == (*b > *a));
    RC_ASSERT((*a == *b) == !(*a < *b || *b < *a));
    if (*a < *b && *b < *c) RC_ASSERT(*a < *c);
    if (*a == *b) RC_ASSERT((*a < *c) == (*b < *c));
  }));
}

TEST(LockJson, RoundTrips) {
  ASSERT_TRUE(rc::check("write and read", [] {
    Lock lock;
    lock.python = *rc::gen::element<std::string>("3.9", "3.14");
    lock.platform = "linux-x86_64";
    lock.resolver = "pip";
    const int count = *rc::gen::inRange(0, 5);
    for (int i = 0; i < count; ++i) {
      LockedPackage package{"p" + std::to_string(i),
                            *AnyVersion(),
                            "",
                            {"sha256:" + Sha256::Of(std::to_string(i)).Hex()}};
      if (*rc::gen::arbitrary<bool>()) package.url = "https://h.example/p.zip";
      lock.packages.push_back(std::move(package));
    }
    const auto read = LockFromJson(ToJson(lock));
    RC_ASSERT(read.has_value());
    RC_ASSERT(read->packages == lock.packages);
    RC_ASSERT(read->EnvironmentId() == lock.EnvironmentId());
  }));
}

}  // namespace
}  // namespace kinetic::env
