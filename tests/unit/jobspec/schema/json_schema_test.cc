#include "kinetic/job_file.h"

#include "base/files/file_system.h"
#include "jobspec/schema/check.h"
#include "json/parse.h"
#include "support/source_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

namespace kinetic::jobspec {
namespace {

using valijson::adapters::NlohmannJsonAdapter;

const valijson::Schema& JobSchema() {
  static const auto* const kSchema = [] {
    static const auto kJson = nlohmann::json::parse(JobFileSchema());
    auto* schema = new valijson::Schema;
    valijson::SchemaParser().populateSchema(NlohmannJsonAdapter(kJson), *schema);
    return schema;
  }();
  return *kSchema;
}

bool SchemaAccepts(std::string_view yaml) {
  const auto node = json::ParseYaml(yaml);
  EXPECT_TRUE(node) << yaml;
  const auto document = nlohmann::json::parse(json::ToValue(*node).ToJson());
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  return validator.validate(JobSchema(), NlohmannJsonAdapter(document), nullptr);
}

bool ShapeAccepts(std::string_view yaml) {
  auto node = json::ParseYaml(yaml);
  EXPECT_TRUE(node) << yaml;
  Diagnostics diagnostics("job.yaml", yaml);
  Positions positions;
  CheckTree(*node, diagnostics);
  CheckShape(*node, JobFileShape(), diagnostics, positions);
  return diagnostics.ok();
}

bool ParserAccepts(std::string_view yaml) {
  JobFileOptions options;
  options.directory = "/nonexistent";
  options.environment = {{"WANDB_PROJECT", "x"}};
  return ParseJobFile(yaml, "job.yaml", options).has_value();
}

/// Values of every kind, each valid for some keys and invalid for others.
constexpr std::array<std::string_view, 70> kValues{
    "null",      "true",   "0",        "1",           "3",
    "-1",        "1.5",    "0.0",      "-2.5",        "100",
    "1001",      "256",    "100001",   "''",          "a",
    "A b",       "my-job", "My_Job",   "-a",          "a-",
    "cpu",       "yes",    "3.12",     "'3.12'",      "'3.8'",
    "'3.9'",     "'3.09'", "'3.100'",  "a:b",         "a.b:C.d",
    "a:b:c",     "1a:b",   "a.:b",     "'ü:é'",       "a-b:c",
    "32Gi",      "32 Gi",  "32GB",     "'1.5k'",      "'.5M'",
    "'.'",       "'5.'",   "30m",      "1h30m",       "1 h",
    "'30'",      "20 USD", "20.5 EUR", "20 usd",      "USD 20",
    "preempted", "exit:1", "exit:0",   "'exit:255'",  "exit:256",
    "mount",     "/data",  "gs://b/p", "'*_TOKEN'",   "1X",
    "[]",        "[a]",    "[a, 1]",   "[exit:75]",   "[[a: 1]]",
    "{}",        "{a: 1}", "{/d: x}",  "{source: x}", "{dockerfile: x, y: z}",
};

/// A key of the table, and whether its range also applies to text. A pattern does not express that.
struct KeyPath {
  std::string path;
  bool has_text_range;
};

/// Appends all keys of the table to `paths`.
void CollectPaths(const Shape& shape, const std::string& prefix, std::vector<KeyPath>& paths) {
  for (const auto& key : shape.keys) {
    const std::string path = prefix + std::string(key.name);
    paths.push_back({path, key.shape->range && key.shape->range->measure != nullptr});
    CollectPaths(*key.shape, path + ".", paths);
  }
}

/// Returns a document with a value for one key, in flow style. Adds `run` to jobs without work.
std::string DocumentWith(const std::string& path, std::string_view value) {
  const bool work = path == "function" || path == "run" || path == "steps";
  std::string document = work ? "" : "run: x\n";
  std::string closing;
  const auto dot = path.find('.');
  document += path.substr(0, dot) + ": ";
  if (dot != std::string::npos) {
    document += "{" + path.substr(dot + 1) + ": ";
    closing = "}";
  }
  return document + std::string(value) + closing + "\n";
}

TEST(Schema, AgreesWithParserOnEveryKeyAndValue) {
  std::vector<KeyPath> paths;
  CollectPaths(JobFileShape(), "", paths);
  ASSERT_GT(paths.size(), 35U);
  int taken = 0;
  for (const auto& [path, has_text_range] : paths) {
    for (const auto value : kValues) {
      const std::string document = DocumentWith(path, value);
      const bool shape = ShapeAccepts(document);
      const bool may_be_out_of_range = has_text_range && value.starts_with('\'');
      EXPECT_TRUE(SchemaAccepts(document) == shape || (may_be_out_of_range && !shape)) << document;
      taken += shape ? 1 : 0;
    }
  }
  EXPECT_GT(taken, 200);
}

TEST(Schema, AgreesWithParserOnMapsWithArbitraryNames) {
  for (const char* key : {"env", "data", "args", "steps", "pod"}) {
    for (const char* name : {"A", "1A", "a-b", "/d", "d", "ü", "a b", "'*'", "''"}) {
      for (const char* value : {"null", "x", "1", "true", "[x]", "{source: x}", "{source: x, z: 1}",
                                "{mode: copy}", "{source: x, mode: move}"}) {
        const std::string document = std::string(key) == "steps" ? "" : "run: x\n";
        const std::string text = document + key + ": {" + name + ": " + value + "}\n";
        EXPECT_EQ(SchemaAccepts(text), ShapeAccepts(text)) << text;
      }
    }
  }
}

TEST(Schema, AcceptsSameFilesAsParser) {
  const Path folder = test::SourceFolder() / "tests/unit/jobspec/data/good";
  const auto entries = PosixFileSystem().ReadDirectory(folder);
  ASSERT_TRUE(entries);
  ASSERT_GE(entries->size(), 5U);
  for (const auto& entry : *entries) {
    const auto text = ReadFile(PosixFileSystem(), folder / entry.name, 1 << 20);
    ASSERT_TRUE(text);
    EXPECT_TRUE(SchemaAccepts(*text)) << entry.name;
    EXPECT_TRUE(ParserAccepts(*text)) << entry.name;
  }
}

void CheckExamples(const Shape& shape, const std::string& before, const std::string& after) {
  for (const auto& key : shape.keys) {
    const std::string name(key.name);
    const bool work = before.empty() && (name == "function" || name == "run" || name == "steps");
    // Keys that need other keys.
    const bool needs_tasks = name == "parallel" || name == "max_failed" || name == "tasks_per_pod";
    const std::string company = name == "on"                               ? ", attempts: 2"
                                : needs_tasks                              ? ", count: 3"
                                : name == "mode" || name == "follow_links" ? ", source: ./x"
                                : name == "context" ? ", dockerfile: Dockerfile"
                                                    : "";
    const std::string document =
        (work ? "" : "run: x\n") + before + std::string(key.example) + company + after + "\n";
    EXPECT_TRUE(SchemaAccepts(document)) << document;
    EXPECT_TRUE(document.find("$jsonl") != std::string::npos || ParserAccepts(document))
        << document;
    CheckExamples(*key.shape, name + ": {", "}");
    if (key.shape->values != nullptr) CheckExamples(*key.shape->values, name + ": {/d: {", "}}");
  }
}

TEST(Schema, AcceptsExamples) { CheckExamples(JobFileShape(), "", ""); }

TEST(Schema, RequiresExactlyOneOfFunctionRunAndSteps) {
  for (const char* text : {"{}", "spot: true", "run: x\nfunction: a:b", "run: x\nsteps: {}", "3"}) {
    EXPECT_FALSE(SchemaAccepts(text)) << text;
    EXPECT_FALSE(ParserAccepts(text)) << text;
  }
}

TEST(Schema, MatchesDocumentation) {
  const Path file = test::SourceFolder() / "docs/job.schema.json";
  if (std::getenv("KINETIC_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFileAtomically(PosixFileSystem(), file, JobFileSchema()));
  }
  const auto text = ReadFile(PosixFileSystem(), file, 1 << 20);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, JobFileSchema()) << "run this test with KINETIC_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace kinetic::jobspec
