#include "spec/limit_shapes.h"
#include "spec/text_rules.h"

#include <array>

namespace kinetic::spec {
namespace {

constexpr Shape kBoolean{.expected = "true or false", .boolean = true};
constexpr Shape kWord{.expected = "a string", .text = kNotEmpty, .as_written = true};
constexpr Shape kPath{.expected = "a path", .text = kNotEmpty};
constexpr Shape kAny{.expected = "a value", .anything = true};
constexpr Shape kMapOfAny{.expected = "a map", .values = &kAny};

constexpr Shape kName{
    .expected = "1 to 63 of the characters a-z, 0-9 and -, neither first nor last a -",
    .text = kLabel};
constexpr Shape kAcceleratorName{.expected = "the name of an accelerator, such as v5litepod-4",
                                 .text = kNotEmpty};
constexpr Shape kAccelerators{.expected = "the name of an accelerator, or a list of them",
                              .text = kNotEmpty,
                              .items = &kAcceleratorName,
                              .least_items = 1};
constexpr Shape kFunctionName{.expected = "module:callable, such as finetune:train",
                              .text = kFunction};
constexpr Shape kRun{.expected = "a command line, or a list of its words",
                     .text = kNotEmpty,
                     .items = &kWord,
                     .least_items = 1};
constexpr Shape kSteps{.expected = "a map from the names of steps to jobs",
                       .values = &kMapOfAny,
                       .names = kLabel,
                       .expected_names = kName.expected};
constexpr Shape kArgs{.expected = "a map or a list of values", .items = &kAny, .values = &kAny};

constexpr Shape kPattern{.expected = "a pattern as in .gitignore", .text = kNotEmpty};
constexpr Shape kPatterns{.expected = "a list of patterns as in .gitignore", .items = &kPattern};
constexpr std::array<Key, 3> kBundleKeys{{
    {.name = "root",
     .shape = &kPath,
     .doc = "The folder that travels; relative to the job file's folder.",
     .absent = "the nearest folder upwards with a project marker",
     .example = "root: ."},
    {.name = "exclude",
     .shape = &kPatterns,
     .doc = "What stays behind, beside what .gitignore and .kineticignore name.",
     .absent = "nothing more",
     .example = R"(exclude: ["*.ckpt", /data/])"},
    {.name = "default_excludes",
     .shape = &kBoolean,
     .doc = "Whether virtual environments, caches and node_modules stay behind.",
     .absent = "true",
     .example = "default_excludes: false"},
}};
constexpr Shape kBundle{.expected = "a map", .keys = kBundleKeys};

constexpr Shape kExtra{.expected = "a name", .text = kExtraName};
constexpr Shape kExtras{.expected = "a list of names", .items = &kExtra};
constexpr std::array<Key, 3> kDependencyKeys{{
    {.name = "file",
     .shape = &kPath,
     .doc = "requirements.txt, pyproject.toml, uv.lock, or a script with inline metadata.",
     .absent = "found in the project",
     .example = "file: pyproject.toml"},
    {.name = "extras",
     .shape = &kExtras,
     .doc = "Optional dependencies of pyproject.toml that are wanted.",
     .absent = "none",
     .example = "extras: [train]"},
    {.name = "groups",
     .shape = &kExtras,
     .doc = "Dependency groups of pyproject.toml that are wanted.",
     .absent = "none",
     .example = "groups: [eval]"},
}};
constexpr Shape kDependencies{.expected = "a path, null, or a map with file, extras and groups",
                              .null = true,
                              .text = kNotEmpty,
                              .keys = kDependencyKeys};

constexpr Shape kPython{.expected = R"(a version from "3.9" on such as "3.12", in quotes)",
                        .null = true,
                        .text = kPythonVersion,
                        .hint = "a version is no number (3.10 would be 3.1): write it in quotes"};

constexpr std::array<Key, 2> kImageKeys{{
    {.name = "dockerfile",
     .shape = &kPath,
     .doc = "A Dockerfile to build the image from.",
     .absent = "",
     .example = "dockerfile: docker/Dockerfile",
     .required = true},
    {.name = "context",
     .shape = &kPath,
     .doc = "The folder that the Dockerfile copies from.",
     .absent = "the Dockerfile's folder",
     .example = "context: ."},
}};
constexpr Shape kImage{
    .expected = "the name of an image, null, or a map with dockerfile and context",
    .null = true,
    .text = kImageName,
    .keys = kImageKeys};

constexpr Shape kVariable{.expected = "a string, or null to take it from the caller",
                          .null = true,
                          .text = TextRule{},
                          .as_written = true};
constexpr Shape kEnv{.expected = "a map from names to values",
                     .values = &kVariable,
                     .names = kVariableName,
                     .expected_names = "letters, digits and _, the first no digit"};
constexpr Shape kSecret{
    .expected = "the name of an environment variable, with * and ? as wildcards",
    .text = kSecretPattern};
constexpr Shape kSecrets{.expected = "a list of names of environment variables", .items = &kSecret};

constexpr TextRule kModeRule{
    "^(copy|mount)$", [](std::string_view text) { return text == "copy" || text == "mount"; }};
constexpr std::array<std::string_view, 2> kModes{"copy", "mount"};
constexpr Shape kMode{.expected = "copy or mount", .text = kModeRule, .choices = kModes};
constexpr Shape kSource{.expected = "a local path, gs://bucket/prefix or data://NAME",
                        .text = kNotEmpty};
constexpr std::array<Key, 2> kDataKeys{{
    {.name = "source",
     .shape = &kSource,
     .doc = "A local file or folder, gs://bucket/prefix, or data://NAME (`kinetic data put`).",
     .absent = "",
     .example = "source: gs://bucket/weights/",
     .required = true},
    {.name = "mode",
     .shape = &kMode,
     .doc = "copy: there before the job starts; mount (reserved): read as it is used.",
     .absent = "copy",
     .example = "mode: copy"},
}};
constexpr Shape kDataSource{
    .expected = "a path, gs://bucket/prefix, data://NAME, or a map with source and mode",
    .text = kNotEmpty,
    .keys = kDataKeys};
constexpr Shape kData{.expected = "a map from paths in the job to sources",
                      .values = &kDataSource,
                      .names = kAbsolutePath,
                      .expected_names = "an absolute path in the job, such as /data"};

constexpr Shape kArrayCount{.expected = "an integer of 1 to 100000",
                            .integer = IntegerRule{1, 100'000}};
constexpr Shape kOver{.expected = "a list of argument sets, or a map with $json or $jsonl",
                      .items = &kArgs,
                      .least_items = 1,
                      .values = &kAny};
constexpr std::array<Key, 3> kArrayKeys{{
    {.name = "count",
     .shape = &kArrayCount,
     .doc = "How many tasks; each sees its number in KINETIC_TASK_INDEX.",
     .absent = "the length of over",
     .example = "count: 100"},
    {.name = "over",
     .shape = &kOver,
     .doc = "One task for each of these argument sets; takes the place of count.",
     .absent = "every task has the same arguments",
     .example = "over: [{rate: 0.1}, {rate: 0.01}]"},
    {.name = "parallel",
     .shape = &kArrayCount,
     .doc = "How many tasks run at once.",
     .absent = "all",
     .example = "parallel: 20"},
}};
constexpr Shape kArray{.expected = "a map with count or over", .null = true, .keys = kArrayKeys};

constexpr Shape kQueue{.expected = "the name of a LocalQueue", .null = true, .text = kLabel};
constexpr Shape kTarget{.expected = "the name of a profile", .null = true, .text = kProfileName};
constexpr Shape kVersion{.expected = "1; other versions need another kinetic",
                         .integer = IntegerRule{1, 1}};

constexpr std::array<Key, 24> kKeys{{
    {.name = "version",
     .shape = &kVersion,
     .doc = "The version of this format.",
     .absent = "1",
     .example = "version: 1"},
    {.name = "name",
     .shape = &kName,
     .doc = "What the job is called; need not be unique.",
     .absent = "from the file's name, else from function or run",
     .example = "name: genz-sft"},
    {.name = "accelerator",
     .shape = &kAccelerators,
     .doc = "The hardware, as Google names it, or a list: the first that can be had.",
     .absent = "cpu",
     .example = "accelerator: [v5litepod-4, gpu-l4]"},
    {.name = "function",
     .shape = &kFunctionName,
     .doc = "The Python function to call. A job has exactly one of function, run and steps.",
     .absent = "",
     .example = "function: finetune:train"},
    {.name = "run",
     .shape = &kRun,
     .doc = "The command to run: a line for /bin/sh, or a list of words that no shell sees.",
     .absent = "",
     .example = "run: python train.py --epochs 1"},
    {.name = "steps",
     .shape = &kSteps,
     .doc = "Several jobs, one after another.",
     .absent = "",
     .example = "steps: {prepare: {function: prepare:main}, train: {function: finetune:train}}",
     .reserved = true},
    {.name = "args",
     .shape = &kArgs,
     .doc = "Arguments, by name (map) or by position (list); see Arguments.",
     .absent = "none",
     .example = "args: {epochs: 3, data: {$jsonl: data.jsonl}}"},
    {.name = "bundle",
     .shape = &kBundle,
     .doc = "The code that travels.",
     .absent = "the project, without what .gitignore names",
     .example = R"(bundle: {root: ., exclude: ["*.ckpt"]})"},
    {.name = "dependencies",
     .shape = &kDependencies,
     .doc = "Where the Python packages are named: a path, a map, or null for none.",
     .absent = "found in the project",
     .example = "dependencies: requirements.txt"},
    {.name = "python",
     .shape = &kPython,
     .doc = "The minor version of Python, in quotes.",
     .absent = "the caller's",
     .example = R"(python: "3.12")"},
    {.name = "image",
     .shape = &kImage,
     .doc = "A container image to use as it is, or a Dockerfile; not together with dependencies.",
     .absent = "one is made from dependencies",
     .example = "image: ghcr.io/org/train:1.4"},
    {.name = "env",
     .shape = &kEnv,
     .doc = "Environment variables; null takes the caller's value. No secrets.",
     .absent = "none",
     .example = "env: {KERAS_BACKEND: jax, WANDB_PROJECT: null}"},
    {.name = "secrets",
     .shape = &kSecrets,
     .doc = "Environment variables of the caller that are handed over and never stored.",
     .absent = "none",
     .example = R"(secrets: [KAGGLE_API_TOKEN, "WANDB_*"])"},
    {.name = "data",
     .shape = &kData,
     .doc = "Files that are not part of the code, by their path in the job.",
     .absent = "none",
     .example = "data: {/data: ./dataset, /weights: {source: gs://b/p/, mode: copy}}"},
    {.name = "resources",
     .shape = &kResources,
     .doc = "What the job may use of a machine.",
     .absent = "what the machine has",
     .example = "resources: {cpu: 8, memory: 32Gi}"},
    {.name = "spot",
     .shape = &kBoolean,
     .doc = "Whether cheaper capacity is used that can be taken away.",
     .absent = "false",
     .example = "spot: true"},
    {.name = "slices",
     .shape = &kSlices,
     .doc = "How many slices of the accelerator; more than 1 is reserved.",
     .absent = "1",
     .example = "slices: 1"},
    {.name = "array",
     .shape = &kArray,
     .doc = "The same job many times.",
     .absent = "one job",
     .example = "array: {count: 100, parallel: 20}",
     .reserved = true},
    {.name = "retry",
     .shape = &kRetry,
     .doc = "Whether a failed attempt is followed by another.",
     .absent = "one attempt",
     .example = "retry: {attempts: 3, on: [preempted, exit:75]}"},
    {.name = "timeouts",
     .shape = &kTimeouts,
     .doc = "How long things may take.",
     .absent = "no limits; 30s of grace",
     .example = "timeouts: {pending: 30m, run: 24h}"},
    {.name = "max_cost",
     .shape = &kMaxCost,
     .doc = "The job is ended when it has cost more.",
     .absent = "no limit",
     .example = "max_cost: 20 USD",
     .reserved = true},
    {.name = "queue",
     .shape = &kQueue,
     .doc = "A Kueue LocalQueue (clusters).",
     .absent = "none",
     .example = "queue: team-a"},
    {.name = "pod",
     .shape = &kMapOfAny,
     .doc = "More fields of the pod, by strategic merge (clusters).",
     .absent = "none",
     .example = "pod: {spec: {priorityClassName: high}}"},
    {.name = "target",
     .shape = &kTarget,
     .doc = "The profile that says where the job runs; --target wins.",
     .absent = "the configured one, else local",
     .example = "target: lab"},
}};

constexpr Shape kJobFile{.expected = "a map of keys such as function and accelerator",
                         .keys = kKeys};

}  // namespace

const Shape& JobFileShape() { return kJobFile; }

}  // namespace kinetic::spec
