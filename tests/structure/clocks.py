#!/usr/bin/env python3
"""Fails if a source file reads the date without a reason that docs/reference/store.md, "Clocks", gives.

    clocks.py ROOT

- Only the files below read the date. Each has a reason why another machine's clock cannot do harm.
- Only store/age.h compares the lease of an object with a time.
- The times that other machines recorded of a job are compared with nothing.
"""

import pathlib
import re
import sys

READS = re.compile(r"\b(?:Now|ExactNow|AgreedNow)\(|\bsystem_clock::now\b|\bCLOCK_REALTIME\b"
                   r"|(?<![\w.>])(?:::)?(?:time|gettimeofday)\(")
MAY_READ = {
    "display": [
        "cli/", "src/job/phase_log.cc", "src/job/lifecycle/explain.cc", "src/job/submit/job_objects.cc",
        "src/job/bundle/data_sets.cc", "src/runner/attempt/lifecycle.cc", "src/runner/diagnostics.cc",
        "src/runner/log/capture.cc", "src/runner/outcome/checkpoints.cc", "src/runner/staging/status_file.cc",
        "src/backend/scripted/target.cc", "src/provision/price_catalog.cc", "src/provision/status.cc",
        "src/provision/cluster_access.cc", "src/provision/join/kubernetes_checks.cc",
        "src/settings/cached_prices.cc", "src/job/health/environment_checks.cc", "src/job/lifecycle/logs.cc"],
    "clocks": ["src/base/time/", "src/http/server_clock.h", "src/http/retry.cc"],
    "age in the store": [
        "src/store/", "src/bundle/gc/", "src/job/gc/garbage.cc", "src/job/list.cc", "src/job/summary.cc",
        "src/record/referenced_trees.cc", "src/runner/copy/responder.cc", "src/runner/outcome/compile_cache.cc",
        "src/runner/outcome/download_mirror.cc",
        "src/runner/staging/retrying_store.cc", "src/runner/staging/retrying_store.h"],
    "estimates": ["src/job/lifecycle/liveness.cc"],
    "silence, by a steady clock": ["src/local/pulse.cc"],
    "deadlines on a cluster": ["src/backend/kubernetes/", "src/provision/shutdown/"],
    "local caches": [
        "src/bundle/format/tree_cache.cc", "src/env/", "src/gcs/upload/session_files.cc", "src/job/bundle/job_bundle.cc",
        "src/job/environment/", "src/job/gc/caches.cc", "src/job/gc/programs.cc", "src/job/images/",
        "src/job/submit/image_check.cc", "src/local/data_cache.cc", "src/local/job_cache.cc", "src/oci/layer/scratch.cc",
        "src/runner/staging/materialize.cc", "src/google/gke/cluster_locator.cc"],
    "credentials": [
        "src/auth/", "src/connect/", "src/kube/auth/", "src/oci/registry/", "src/job/submit/credential_warning.cc"],
}
ALLOWED = [place for places in MAY_READ.values() for place in places]
LEASE = re.compile(r"\b(?:now_?|here)\s*-\s*[\w.>()*\[\]-]*\blease\b|\blease\s*-\s*now")
RECORDED = re.compile(r"\b(?:now_?|Now\([^)]*\))\s*-\s*[\w.>()*-]*\b(?:created|started|finished|stored)\b")
LEASE_FILES = ("src/store/age.h",)
RECORDED_FILES = ("cli/", "src/backend/kubernetes/", "src/provision/")


def without_comments(text):
    text = re.sub(r'R"(\w*)\((?:.|\n)*?\)\1"', lambda found: '""' + "\n" * found[0].count("\n"), text)
    return re.sub(r"//[^\n]*", "", text)


def problems(root):
    used = set()
    for path in sorted([*(root / "src").rglob("*"), *(root / "cli").rglob("*")]):
        if path.suffix not in (".cc", ".h"):
            continue
        name = path.relative_to(root).as_posix()
        for number, line in enumerate(without_comments(path.read_text(encoding="utf-8")).split("\n"), 1):
            if READS.search(line):
                places = [place for place in ALLOWED if name.startswith(place)]
                used.update(places)
                if not places:
                    yield f"{name}:{number}: reads the date: {line.strip()}"
            if LEASE.search(line) and name not in LEASE_FILES:
                yield f"{name}:{number}: compares a lease outside store/age.h: {line.strip()}"
            if RECORDED.search(line) and not name.startswith(RECORDED_FILES):
                yield f"{name}:{number}: compares a time that another machine recorded: {line.strip()}"
    if root == root.resolve() and (root / "docs").is_dir():
        for place in ALLOWED:
            if place not in used:
                yield f"{place} is listed in clocks.py but does not read the date"


def main():
    found = list(problems(pathlib.Path(sys.argv[1]).resolve()))
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
