#!/usr/bin/env python3
"""Tests guides_test.py: which outputs count as equal, and which pages are rejected."""

import unittest

from guides_test import Command, File, PageError, Skipped, matches, normalized, parse


def equal(expected, actual):
    return matches(normalized(expected), normalized(actual))


class Output(unittest.TestCase):
    def test_ids_times_and_sizes_may_differ(self):
        self.assertTrue(equal(["✓ submit     afwixsuci57o2xtn  0.03s"], ["✓ submit  bc7xxsuci57o2xtn  1m 12s"]))
        self.assertTrue(equal(["3 files, 284 B"], ["3 files, 2.1 KiB"]))
        self.assertTrue(equal(["created 2026-11-23T23:43:02.343Z"], ["created 2027-01-01T00:00:00.000Z"]))

    def test_numbers_words_and_lines_may_not_differ(self):
        for expected, actual in (["3 files"], ["4 files"]), (["exit code 0"], ["exit code 1"]), \
                (["a", "b"], ["b", "a"]), (["a"], ["a", "b"]), (["a", "b"], ["a"]), ([], ["a"]), \
                (['{"pi":3.13784}'], ['{"pi":3.14138}']), (["state succeeded"], ["state failed"]), \
                (["1.5s"], ["1.5"]), (["v1.2.3"], ["v1.2.4"]):
            self.assertFalse(equal(expected, actual), (expected, actual))

    def test_progress_lines_may_come_in_any_order(self):
        package, build = "✓ package  1 file  0.1s", "✓ build  no packages  0.1s"
        self.assertTrue(equal([package, build, "x"], [build, "✓ start  1.2s", package, "x"]))
        self.assertFalse(equal([package, build, "x"], [build, "x", package]))

    def test_dots_match_any_lines(self):
        self.assertTrue(equal(["a", "...", "d"], ["a", "b", "c", "d"]))
        self.assertTrue(equal(["a", "...", "d"], ["a", "d"]))
        self.assertFalse(equal(["a", "...", "d"], ["a", "b"]))


class Pages(unittest.TestCase):
    def test_blocks_are_parsed_in_order(self):
        fixture, items = parse([
            "<!-- test: bucket -->", '```yaml title="job.yaml"', "run: 'true'", "```", "```console", "$ echo a \\",
            "    b", "a b", "$ true", "```", "<!-- test: skip: takes a day -->", "```console", "$ sleep 1d", "```"])
        self.assertEqual(fixture, "bucket")
        self.assertEqual(items, [File("job.yaml", "run: 'true'\n"), Command("echo a b", 5, 7, 8),
                                 Command("true", 8, 9, 9), Skipped(11, "takes a day")])

    def test_skipped_block_requires_a_reason(self):
        with self.assertRaises(PageError):
            parse(["```yaml", "run: 'true'", "```"])

    def test_output_without_a_command_is_rejected(self):
        with self.assertRaises(PageError):
            parse(["```console", "hello", "```"])


if __name__ == "__main__":
    unittest.main()
