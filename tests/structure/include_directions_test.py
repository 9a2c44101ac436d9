#!/usr/bin/env python3
"""The checker itself: it must see each kind of wrong include."""

import pathlib
import tempfile
import unittest

import include_directions


class Complaints(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "cli").mkdir()
        (self.root / "cli" / "output.h").touch()

    def tearDown(self):
        self.folder.cleanup()

    def complaint(self, path, include):
        return include_directions.complaint(self.root, self.root / path, include[0], include[1:-1])

    def test_up_is_wrong_and_down_is_right(self):
        self.assertIsNotNone(self.complaint("src/store/folder_store.cc", '"bundle/tree.h"'))
        self.assertIsNone(self.complaint("src/bundle/tree.cc", '"store/store.h"'))
        self.assertIsNone(self.complaint("src/job/client.cc", '"base/clock.h"'))

    def test_neighbours_do_not_see_each_other(self):
        self.assertIsNotNone(self.complaint("src/local/queue.cc", '"bundle/tree.h"'))
        self.assertIsNotNone(self.complaint("src/runner/main.cc", '"target/target.h"'))

    def test_the_command_line_sees_public_headers_only(self):
        self.assertIsNotNone(self.complaint("cli/main.cc", '"base/strings.h"'))
        self.assertIsNone(self.complaint("cli/main.cc", '"output.h"'))
        self.assertIsNone(self.complaint("cli/main.cc", '"kinetic/client.h"'))

    def test_third_party_stays_in_its_adapter(self):
        self.assertIsNotNone(self.complaint("src/job/client.cc", "<nlohmann/json.hpp>"))
        self.assertIsNotNone(self.complaint("src/json/value.h", "<nlohmann/json.hpp>"))
        self.assertIsNone(self.complaint("src/json/value.cc", "<nlohmann/json.hpp>"))

    def test_public_headers_see_public_headers_only(self):
        self.assertIsNotNone(self.complaint("include/kinetic/job.h", '"base/clock.h"'))


if __name__ == "__main__":
    unittest.main()
