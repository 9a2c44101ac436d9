#include "jobspec/schema/shape.h"

#include <array>

namespace kinetic::jobspec {
namespace {

constexpr Shape kBoolean{.expected = "true or false", .boolean = true};
constexpr Shape kWord{.expected = "a string", .text = kNotEmpty, .as_written = true};
constexpr Shape kPath{.expected = "a path", .text = kNotEmpty};
constexpr Shape kAny{.expected = "a value", .any = true};
constexpr Shape kMapOfAny{.expected = "a map", .values = &kAny};

constexpr Shape kName{
    .expected =
        "1–63 lowercase letters, digits, '-', '_' or '.'; the first and last are a letter or "
        "digit",
    .text = kJobName};

constexpr Shape kAcceleratorName{.expected = "an accelerator name, such as v5litepod-4",
                                 .text = kNotEmpty};
constexpr Shape kAccelerators{.expected = "an accelerator name, or a list of them",
                              .text = kNotEmpty,
                              .items = &kAcceleratorName,
                              .min_items = 1};
constexpr Shape kFunctionName{.expected = "module:callable, such as finetune:train",
                              .text = kFunction};
constexpr Shape kRun{.expected = "a shell command, or a list of words",
                     .text = kNotEmpty,
                     .items = &kWord,
                     .min_items = 1};
constexpr Shape kSteps{
    .expected = "a map of step names to jobs",
    .values = &kMapOfAny,
    .names = kLabel,
    .expected_names = "1–63 lowercase letters, digits or '-'; cannot start or end with '-'"};
constexpr Shape kArgs{.expected = "a map or a list of values", .items = &kAny, .values = &kAny};

constexpr Shape kPattern{.expected = "a .gitignore pattern", .text = kNotEmpty};
constexpr Shape kPatterns{.expected = "a list of .gitignore patterns", .items = &kPattern};
constexpr std::array<Key, 3> kBundleKeys{{
    {.name = "root",
     .shape = &kPath,
     .doc = "Root folder of the bundle, relative to the job file's folder.",
     .default_value = "the nearest parent folder with a project marker",
     .example = "root: ."},
    {.name = "exclude",
     .shape = &kPatterns,
     .doc = "Files to exclude, in addition to .gitignore and .kineticignore.",
     .default_value = "none",
     .example = R"(exclude: ["*.ckpt", /data/])"},
    {.name = "default_excludes",
     .shape = &kBoolean,
     .doc = "Exclude virtual environments, caches and node_modules.",
     .default_value = "true",
     .example = "default_excludes: false"},
}};
constexpr Shape kBundle{.expected = "a map", .keys = kBundleKeys};
constexpr Shape kWorkdir{.expected = "a folder, relative to the bundle's root, without ..",
                         .text = kPathInBundle};

constexpr Shape kExtra{.expected = "a name", .text = kExtraName};
constexpr Shape kExtras{.expected = "a list of names", .items = &kExtra};
constexpr std::array<Key, 3> kDependencyKeys{{
    {.name = "file",
     .shape = &kPath,
     .doc = "requirements.txt, pyproject.toml, uv.lock, or a script with inline metadata.",
     .default_value = "discovered in the project",
     .example = "file: pyproject.toml"},
    {.name = "extras",
     .shape = &kExtras,
     .doc = "Optional dependencies of pyproject.toml to install.",
     .default_value = "none",
     .example = "extras: [train]"},
    {.name = "groups",
     .shape = &kExtras,
     .doc = "Dependency groups of pyproject.toml to install.",
     .default_value = "none",
     .example = "groups: [eval]"},
}};
constexpr Shape kDependencies{.expected = "a path, null, or a map with file, extras and groups",
                              .null = true,
                              .text = kNotEmpty,
                              .keys = kDependencyKeys};

constexpr Shape kPython{.expected = R"(a quoted version from "3.9" on, such as "3.12")",
                        .null = true,
                        .text = kPythonVersion,
                        .hint = "YAML reads an unquoted 3.10 as 3.1"};

constexpr std::array<Key, 2> kImageKeys{{
    {.name = "dockerfile",
     .shape = &kPath,
     .doc = "Dockerfile to build the image from.",
     .default_value = "",
     .example = "dockerfile: docker/Dockerfile",
     .required = true},
    {.name = "context",
     .shape = &kPath,
     .doc = "Build context of the Dockerfile.",
     .default_value = "the Dockerfile's folder",
     .example = "context: ."},
}};
constexpr Shape kImage{.expected = "an image name, null, or a map with dockerfile and context",
                       .null = true,
                       .text = kImageName,
                       .keys = kImageKeys};

constexpr Shape kVariable{.expected = "a string, or null for the caller's value",
                          .null = true,
                          .text = TextRule{},
                          .as_written = true};
constexpr Shape kEnv{.expected = "a map of names to values",
                     .values = &kVariable,
                     .names = kVariableName,
                     .expected_names = "letters, digits and '_', not starting with a digit"};
constexpr Shape kSecret{.expected = "an environment variable name; * and ? are wildcards",
                        .text = kSecretPattern};
constexpr Shape kSecrets{.expected = "a list of environment variable names", .items = &kSecret};

constexpr TextRule kModeRule{
    "^(copy|mount)$", [](std::string_view text) { return text == "copy" || text == "mount"; }};
constexpr std::array<std::string_view, 2> kModes{"copy", "mount"};
constexpr Shape kMode{.expected = "copy or mount", .text = kModeRule, .choices = kModes};
constexpr Shape kSource{.expected = "a local path, gs://bucket/prefix or data://NAME",
                        .text = kNotEmpty};
constexpr std::array<Key, 3> kDataKeys{{
    {.name = "source",
     .shape = &kSource,
     .doc = "Local file or folder, gs://bucket/prefix, or data://NAME (`kinetic data put`).",
     .default_value = "",
     .example = "source: gs://bucket/weights/",
     .required = true},
    {.name = "mode",
     .shape = &kMode,
     .doc = "copy: files are fetched before the job starts; mount (reserved): files are read on "
            "access.",
     .default_value = "copy",
     .example = "mode: copy"},
    {.name = "follow_links",
     .shape = &kBoolean,
     .doc = "Copy the targets of links that point outside a local folder. Links within the folder "
            "are kept.",
     .default_value = "false",
     .example = "follow_links: true"},
}};
constexpr Shape kDataSource{
    .expected =
        "a path, gs://bucket/prefix, data://NAME, or a map with source, mode and follow_links",
    .text = kNotEmpty,
    .keys = kDataKeys};
constexpr Shape kData{.expected = "a map from paths in the job to sources",
                      .values = &kDataSource,
                      .names = kAbsolutePath,
                      .expected_names = "an absolute path in the job, such as /data"};

constexpr Shape kQueue{.expected = "a LocalQueue name", .null = true, .text = kLabel};
constexpr Shape kReservation{.expected = "a reservation's name", .null = true, .text = kLabel};
constexpr Shape kTarget{.expected = "a profile name", .null = true, .text = kProfileName};
constexpr Shape kVersion{.expected = "1; other versions require another kinetic release",
                         .integer = IntegerRule{1, 1}};

constexpr Shape kTag{
    .expected = "1–63 characters in one line", .text = kTagValue, .as_written = true};
constexpr Shape kTags{
    .expected = "a map of names to values",
    .values = &kTag,
    .names = kTagName,
    .expected_names = "1–63 letters, digits, '.', '_' or '-'; the first is a letter or digit"};

constexpr std::array<Key, 28> kKeys{{
    {.name = "version",
     .shape = &kVersion,
     .doc = "Version of the job file format.",
     .default_value = "1",
     .example = "version: 1"},
    {.name = "name",
     .shape = &kName,
     .doc =
         "Name of the job; not necessarily unique, and not `latest`, which selects the newest job.",
     .default_value = "derived from the file name, otherwise from function or run",
     .example = "name: genz-sft"},
    {.name = "tags",
     .shape = &kTags,
     .doc = "Values by which `kinetic ps --tag NAME=VALUE` finds the job; 400 bytes in total.",
     .default_value = "none",
     .example = "tags: {team: nlp, experiment: lr-sweep}"},
    {.name = "accelerator",
     .shape = &kAccelerators,
     .doc = "Accelerator in Google's naming, or a list in order of preference.",
     .default_value = "cpu",
     .example = "accelerator: [v5litepod-4, gpu-l4]"},
    {.name = "function",
     .shape = &kFunctionName,
     .doc = "Python function to call. A job has exactly one of function, run and steps.",
     .default_value = "",
     .example = "function: finetune:train"},
    {.name = "run",
     .shape = &kRun,
     .doc = "Command to run: a /bin/sh command line, or a list of words without a shell.",
     .default_value = "",
     .example = "run: python train.py --epochs 1"},
    {.name = "steps",
     .shape = &kSteps,
     .doc = "Several jobs in sequence.",
     .default_value = "",
     .example = "steps: {prepare: {function: prepare:main}, train: {function: finetune:train}}",
     .reserved = true},
    {.name = "args",
     .shape = &kArgs,
     .doc = "Arguments by name (map) or position (list); see Arguments.",
     .default_value = "none",
     .example = "args: {epochs: 3, data: {$jsonl: data.jsonl}}"},
    {.name = "bundle",
     .shape = &kBundle,
     .doc = "Files that are sent with the job.",
     .default_value = "the project, without files ignored by .gitignore",
     .example = R"(bundle: {root: ., exclude: ["*.ckpt"]})"},
    {.name = "workdir",
     .shape = &kWorkdir,
     .doc = "Folder that the job runs in, relative to the bundle's root.",
     .default_value = "the job file's folder; for a command, the current directory",
     .example = "workdir: experiments"},
    {.name = "dependencies",
     .shape = &kDependencies,
     .doc = "File with the Python dependencies; null for none.",
     .default_value = "discovered in the project",
     .example = "dependencies: requirements.txt"},
    {.name = "python",
     .shape = &kPython,
     .doc = "Python minor version, in quotes.",
     .default_value = "the caller's version; on clusters, 3.12",
     .example = R"(python: "3.12")"},
    {.name = "image",
     .shape = &kImage,
     .doc = "Container image, or a Dockerfile to build it; cannot be combined with dependencies.",
     .default_value = "an image or environment with the dependencies",
     .example = "image: ghcr.io/org/train:1.4"},
    {.name = "env",
     .shape = &kEnv,
     .doc = "Environment variables; null takes the caller's value. Not for secrets.",
     .default_value = "none",
     .example = "env: {KERAS_BACKEND: jax, WANDB_PROJECT: null}"},
    {.name = "secrets",
     .shape = &kSecrets,
     .doc = "Environment variables of the caller to pass to the job; never stored.",
     .default_value = "none",
     .example = R"(secrets: [KAGGLE_API_TOKEN, "WANDB_*"])"},
    {.name = "data",
     .shape = &kData,
     .doc = "Input files, by their path in the job.",
     .default_value = "none",
     .example = "data: {/data: ./dataset, /weights: {source: gs://b/p/, mode: copy}}"},
    {.name = "resources",
     .shape = &kResources,
     .doc = "CPU, memory and disk for the job.",
     .default_value = "all of the machine",
     .example = "resources: {cpu: 8, memory: 32Gi}"},
    {.name = "spot",
     .shape = &kBoolean,
     .doc = "Use spot capacity, which is cheaper and can be preempted.",
     .default_value = "false",
     .example = "spot: true"},
    {.name = "flex_start",
     .shape = &kBoolean,
     .doc = "Use only nodes of flex-start pools, which wait for capacity (GKE only).",
     .default_value = "false",
     .example = "flex_start: true"},
    {.name = "reservation",
     .shape = &kReservation,
     .doc = "Use only nodes of this reservation (GKE only).",
     .default_value = "none",
     .example = "reservation: team-tpus"},
    {.name = "slices",
     .shape = &kSlices,
     .doc = "Number of slices of the accelerator; more than 1 is reserved.",
     .default_value = "1",
     .example = "slices: 1"},
    {.name = "array",
     .shape = &kArray,
     .doc = "Run the job as several tasks, each with its own arguments; see Arrays.",
     .default_value = "one job",
     .example = "array: {over: {lr: [0.1, 0.01], seed: {range: 5}}, parallel: 4}"},
    {.name = "retry",
     .shape = &kRetry,
     .doc = "Retries of failed attempts.",
     .default_value = "one attempt",
     .example = "retry: {attempts: 3, on: [preempted, exit:75]}"},
    {.name = "timeouts",
     .shape = &kTimeouts,
     .doc = "Time limits.",
     .default_value = "no limits; grace is 30s",
     .example = "timeouts: {pending: 30m, run: 24h}"},
    {.name = "max_cost",
     .shape = &kMaxCost,
     .doc = "Cost limit on GKE, converted to a limit for timeouts.run by the price of the "
            "accelerator.",
     .default_value = "no limit",
     .example = "max_cost: 20 USD"},
    {.name = "queue",
     .shape = &kQueue,
     .doc = "Kueue LocalQueue (clusters only).",
     .default_value = "none",
     .example = "queue: team-a"},
    {.name = "pod",
     .shape = &kMapOfAny,
     .doc = "Pod fields, applied by strategic merge (clusters only).",
     .default_value = "none",
     .example = "pod: {spec: {priorityClassName: high}}"},
    {.name = "target",
     .shape = &kTarget,
     .doc = "Profile to run the job with; --target takes precedence.",
     .default_value = "the configured profile, otherwise local",
     .example = "target: lab"},
}};

constexpr Shape kJobFile{.expected = "a map with keys such as function and accelerator",
                         .keys = kKeys};

}  // namespace

const Shape& JobFileShape() { return kJobFile; }

}  // namespace kinetic::jobspec
