#!/usr/bin/env python3
"""Tests the checker of clocks: it must report each way to compare the clocks of two machines."""

import pathlib
import tempfile
import unittest

import clocks


class Problems(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def problems(self, text, name="src/job/lifecycle/wait.cc"):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        found = list(clocks.problems(self.root))
        path.unlink()
        return found

    def test_reading_the_date(self):
        for way in ("context.clock.Now();", "store->Now(stop);", "std::chrono::system_clock::now();", "time(nullptr);",
                    "::time(&t);", "clock_gettime(CLOCK_REALTIME, &t);", "store.ExactNow({});"):
            self.assertEqual(len(self.problems(f"auto t = {way}\n")), 1, way)
            self.assertEqual(self.problems(f"auto t = {way}\n", "src/job/summary.cc"), [], way)

    def test_comparing(self):
        for way in ("now_ - info.lease > kAge", "now - found->second.lease", "now - job.created", "now - *job.finished",
                    "lease - now"):
            self.assertEqual(len(self.problems(f"return {way};\n")), 1, way)
            self.assertEqual(len(self.problems(f"return {way};\n", "src/job/summary.cc")), 1, way)

    def test_allowed(self):
        for text in ("clock.Steady();", "// context.clock.Now()\n", "steady_clock::now();", "IsOlder(info.lease, now, kAge);",
                     "job.time();"):
            self.assertEqual(self.problems(text), [], text)


if __name__ == "__main__":
    unittest.main()
