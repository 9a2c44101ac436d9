"""Tests a bundle of many files. The last argument is their number."""

import sys
import unittest

COUNT = int(sys.argv.pop())

import harness  # noqa: E402  takes its own argument

harness.TIMEOUT = max(harness.TIMEOUT, COUNT // 500)


class ManyFiles(harness.JobCase):
    def test_bundle_arrives_complete(self):
        per_folder = 1000
        for folder in range(COUNT // per_folder):
            path = self.work / f"data/{folder}"
            path.mkdir(parents=True)
            for number in range(per_folder):
                (path / str(number)).touch()
        done = self.run_kinetic("run", "--root", ".", "--", "sh", "-c", "find data -type f | wc -l")
        self.assertEqual(int(done.stdout), COUNT)
        self.assertIn(f"code: {COUNT} files", done.stderr)


if __name__ == "__main__":
    unittest.main()
