#include "env/dependencies/manifest.h"

#include "env/lock.h"
#include "support/temp_tree.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

namespace kinetic::env {
namespace {

/// Returns a requirements file with the lines in order and a random layout.
std::string File(const std::vector<std::string>& lines) {
  const std::string end = *rc::gen::element<std::string>("\n", "\r\n", "\n\n", "\n# a comment\n");
  std::string text = *rc::gen::element<std::string>("", "# head\n", "\xEF\xBB\xBF");
  for (const auto& line : lines) {
    text += *rc::gen::element<std::string>("", " ", "\t");
    text += line;
    text += *rc::gen::element<std::string>("", " ", " # why", "\t#", " \\\n ") + end;
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
  ASSERT_TRUE(rc::check("equal lines, equal key", [] {
    std::vector<std::string> lines = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
            "six", "jax[tpu]>=0.5", "a==1; os_name == 'nt'", "b @ https://h.example/b.whl#sha256=0",
            "--pre", "-i https://h.example/simple")));
    const std::string one = File(lines);
    const std::string other = File(lines);
    RC_LOG() << one << "\n-- and --\n" << other << "\n";
    const Digest key = KeyOf(one);
    RC_ASSERT(KeyOf(other) == key);
    lines[*rc::gen::inRange<std::size_t>(0, lines.size())] += ".x";
    RC_ASSERT(KeyOf(File(lines)) != key);
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
                            *rc::gen::element<std::string>("1.0", "2!1rc1.post2+cpu"),
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
