#!/usr/bin/env python3
"""Breaks the garbage collection protocol in one place after another. The property test must detect each mutant.

    gc_mutants_test.py SOURCE_FOLDER BUILD_FOLDER [NAME...]

The property test is only meaningful if it fails with a broken collector. Each mutant replaces a piece of
content_collector.cc or content_lease.cc, is built into property_gc in its own folder, and must fail within RUNS runs.
With names, only these mutants are tried. Two faults are not among the mutants because they have no effect: content of
a base that is not renewed early is renewed when the tree is stored, and an old lease taken for a young one is not used.
"""

import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

RUNS = int(os.environ.get("KINETIC_GC_RUNS", "20000"))
SOURCE, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
ONLY = set(sys.argv[3:])

GC, LEASE = "src/bundle/gc/content_collector.cc", "src/bundle/gc/content_lease.cc"

# name: (file, original, replacement)
MUTANTS = {
    "records read before the listing": (
        GC,
        "  KINETIC_RETURN_IF_ERROR(collection.List());\n  KINETIC_RETURN_IF_ERROR(collection.Mark(live_trees));",
        "  KINETIC_RETURN_IF_ERROR(collection.Mark(live_trees));\n  KINETIC_RETURN_IF_ERROR(collection.List());",
    ),
    "objects changed since the listing removed": (
        GC,
        "store_.RemoveIfUnchanged(info, stop));",
        "[&]() -> Result<store::Removal> {\n"
        "      KINETIC_ASSIGN_OR_RETURN(const auto seen, store_.Stat(info.name, stop));\n"
        "      return seen ? store_.RemoveIfUnchanged(*seen, stop) : store::Removal::kAbsent;\n"
        "    }());",
    ),
    "packs of a base not needed": (GC, "if (base) AppendPacks(*base, needs);", "(void)base;"),
    "base not needed": (GC, "needs.push_back(TreeName(*references->base));", ""),
    "packs removed before trees": (
        GC,
        "    KINETIC_RETURN_IF_ERROR(SweepClass(record::kTreePrefix, report.classes[1], report));\n"
        "    KINETIC_RETURN_IF_ERROR(SweepClass(record::kPackPrefix, report.classes[0], report));",
        "    KINETIC_RETURN_IF_ERROR(SweepClass(record::kPackPrefix, report.classes[0], report));\n"
        "    KINETIC_RETURN_IF_ERROR(SweepClass(record::kTreePrefix, report.classes[1], report));",
    ),
    "objects as old as reusable trees removed": (
        GC, "store::IsOlder(info.lease, now_, options_.min_age)", "store::IsOlder(info.lease, now_, kReuseFor)"),
    "kept content not renewed": (
        GC, "if (!options.dry_run) KINETIC_RETURN_IF_ERROR(collection.Renew());", ""),
    "lease of a tree starts when stored": (LEASE, "{.metadata = {}, .lease = lease}", "{}"),
    "lease of a renewed tree starts at renewal": (
        LEASE, "{.lease = lease, .generation = object->generation}", "{.generation = object->generation}"),
    "trees of any age reused": (LEASE, "if (!store::IsFresh(there->lease, now, kReuseFor)) return Renew(tree, stop);", ""),
    "existing tree not checked": (
        LEASE, "KINETIC_ASSIGN_OR_RETURN(const bool usable, ReuseTree(tree, stop));", "const bool usable = true;"),
    "old packs not touched": (LEASE, "if (!store::IsFresh(info->lease, now, kTouchAfter)) {", "if (false) {"),
    "base renewed without its packs": (
        LEASE,
        "KINETIC_ASSIGN_OR_RETURN(lease, RenewAs(*needs->base, true, stop));",
        "KINETIC_ASSIGN_OR_RETURN(lease, FreshLease(TreeName(*needs->base), stop));",
    ),
    "slow submission not renewed": (
        LEASE, "if (store::IsFresh(lease, now, kReuseFor)) continue;", "continue;"),
    "ages by an estimate of the time": (GC, "store_.ExactNow(stop_)", "store_.Now(stop_)"),
    "submission confirmed by an estimate of the time": (
        LEASE,
        "  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.ExactNow(stop));\n  return RenewStale(now, stop);",
        "  KINETIC_ASSIGN_OR_RETURN(const WallTime now, store_.Now(stop));\n  return RenewStale(now, stop);",
    ),
    "known lease never expires": (
        LEASE, "return store::IsFresh(found->second, now, kTouchAfter) ?", "return true ?"),
}


def build_commands():
    """Returns the commands that compile each file, and the one that links property_gc."""
    lines = subprocess.run(["ninja", "-t", "commands", "property_gc"], cwd=BUILD, capture_output=True,
                           text=True, check=True).stdout.splitlines()
    compile_of = {name: next(line for line in lines if line.endswith(f"-c {SOURCE / name}"))
                  for name in (GC, LEASE)}
    link = next(line for line in lines if " -o tests/property/property_gc " in line)
    return compile_of, link.removeprefix(": && ").removesuffix(" && :")


def make(folder, mutant, compile_of, link):
    name, old, new = mutant
    text = (SOURCE / name).read_text()
    if text.count(old) != 1:
        raise SystemExit(f"{name} has {text.count(old)} times, not once:\n{old}")
    source, object_file, program = folder / "mutant.cc", folder / "mutant.o", folder / "property_gc"
    source.write_text(text.replace(old, new))
    compiling = shlex.split(compile_of[name])
    compiling[compiling.index("-c") + 1] = str(source)
    compiling[compiling.index("-o") + 1] = str(object_file)
    compiling = [word for word in compiling if word != "-Werror"] + ["-w", "-MF", str(folder / "mutant.d")]
    subprocess.run(compiling, cwd=BUILD, check=True)
    linking = shlex.split(link)
    linking[linking.index("-o") + 1] = str(program)
    linking.insert(linking.index("-o"), str(object_file))
    subprocess.run(linking, cwd=BUILD, check=True)
    return program


def main():
    compile_of, link = build_commands()
    unnoticed = []
    for title, mutant in MUTANTS.items():
        if ONLY and title not in ONLY:
            continue
        with tempfile.TemporaryDirectory() as folder:
            program = make(pathlib.Path(folder), mutant, compile_of, link)
            played = subprocess.run([program], env={**os.environ, "KINETIC_GC_RUNS": str(RUNS)},
                                    capture_output=True, text=True, check=False)
        words = [line for line in played.stdout.splitlines() if line.startswith("seed ")]
        print(f"{title}: {words[0] if words else 'NOT NOTICED' if played.returncode == 0 else played.stdout[-300:]}",
              flush=True)
        if played.returncode == 0:
            unnoticed.append(title)
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
