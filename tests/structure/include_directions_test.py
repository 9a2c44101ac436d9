#!/usr/bin/env python3
"""Tests the include checker: it must report each kind of wrong include."""

import pathlib
import tempfile
import unittest

import include_directions

COMPONENTS = """\
# name | uses | purpose
base | | files
store | base | objects
bundle | store | trees
local | store | runtime
job | bundle local | pipeline
runner | local | programs
"""


class Complaints(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "src").mkdir()
        (self.root / "src/components.txt").write_text(COMPONENTS)
        (self.root / "cli").mkdir()
        (self.root / "cli" / "output.h").touch()
        self.rules = include_directions.Rules(self.root)

    def tearDown(self):
        self.folder.cleanup()

    def complaint(self, path, include):
        return self.rules.complaint(self.root / path, include[0], include[1:-1])

    def test_components_may_include_only_lower_ones(self):
        self.assertIsNotNone(self.complaint("src/store/folder_store.cc", '"bundle/format/tree.h"'))
        self.assertIsNone(self.complaint("src/bundle/format/tree.cc", '"store/object_store.h"'))
        self.assertIsNone(self.complaint("src/job/client.cc", '"base/time/clock.h"'))

    def test_siblings_may_not_include_each_other(self):
        self.assertIsNotNone(self.complaint("src/local/queue.cc", '"bundle/format/tree.h"'))
        self.assertIsNotNone(self.complaint("src/runner/main.cc", '"job/client.h"'))

    def test_unlisted_component_is_reported(self):
        self.assertIsNotNone(self.complaint("src/extra/x.cc", '"base/time/clock.h"'))

    def test_the_command_line_includes_public_headers_only(self):
        self.assertIsNotNone(self.complaint("cli/main.cc", '"base/strings.h"'))
        self.assertIsNone(self.complaint("cli/main.cc", '"output.h"'))
        self.assertIsNone(self.complaint("cli/main.cc", '"kinetic/client.h"'))

    def test_third_party_libraries_are_included_by_their_adapter_only(self):
        self.assertIsNotNone(self.complaint("src/job/client.cc", "<nlohmann/json.hpp>"))
        self.assertIsNotNone(self.complaint("src/json/value.h", "<nlohmann/json.hpp>"))
        self.assertIsNone(self.complaint("src/json/value.cc", "<nlohmann/json.hpp>"))

    def test_public_headers_include_public_headers_only(self):
        self.assertIsNotNone(self.complaint("include/kinetic/job.h", '"base/time/clock.h"'))


if __name__ == "__main__":
    unittest.main()
