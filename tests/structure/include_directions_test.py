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
settings | | settings
"""


class Complaints(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        (self.root / "src").mkdir()
        (self.root / "src/components.txt").write_text(COMPONENTS)
        (self.root / "cli").mkdir()
        (self.root / "cli" / "output.h").touch()
        (self.root / "src/settings").mkdir()
        (self.root / "src/settings/table.h").touch()
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

    def test_the_command_line_includes_the_settings_which_include_public_headers_only(self):
        self.assertIsNone(self.complaint("cli/main.cc", '"settings/table.h"'))
        self.assertIsNotNone(self.complaint("cli/main.cc", '"settings/missing.h"'))
        self.assertIsNotNone(self.complaint("src/settings/table.cc", '"base/strings.h"'))
        self.assertIsNotNone(self.complaint("src/job/client.cc", '"settings/table.h"'))

    def test_third_party_libraries_are_included_by_their_adapter_only(self):
        self.assertIsNotNone(self.complaint("src/job/client.cc", "<nlohmann/json.hpp>"))
        self.assertIsNotNone(self.complaint("src/json/value.h", "<nlohmann/json.hpp>"))
        self.assertIsNone(self.complaint("src/json/value.cc", "<nlohmann/json.hpp>"))

    def test_public_headers_include_public_headers_only(self):
        self.assertIsNotNone(self.complaint("include/kinetic/job.h", '"base/time/clock.h"'))


class Cycles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def include(self, path, *headers):
        file = self.root / "src" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f'#include "{header}"\n' for header in headers))

    def problems(self):
        return list(include_directions.cycle_problems(self.root))

    def test_sub_folders_without_a_cycle(self):
        self.include("bundle/write/packer.cc", "bundle/format/pack.h", "bundle/read/loader.h", "bundle/write/packer.h")
        self.include("bundle/read/loader.cc", "bundle/format/pack.h", "store/folder/file.h")
        self.include("store/folder/file.cc", "bundle/write/packer.h")  # the other checks report it
        self.assertEqual(self.problems(), [])

    def test_a_component_folder_may_be_base_and_top(self):
        self.include("env/builder.cc", "env/image/layers.h")
        self.include("env/image/layers.cc", "env/lock.h")
        self.assertEqual(self.problems(), [])

    def test_each_include_of_a_cycle_is_reported(self):
        self.include("bundle/write/packer.cc", "bundle/read/loader.h", "bundle/format/pack.h")
        self.include("bundle/read/loader.cc", "bundle/gc/lease.h")
        self.include("bundle/gc/lease.h", "bundle/write/cache.h")
        found = self.problems()
        self.assertEqual(len(found), 3, found)
        self.assertIn("src/bundle/gc/lease.h:1:", found[0])
        self.assertFalse(any("format" in line for line in found))

    def test_nested_folders_are_folders_of_their_own(self):
        self.include("backend/kubernetes/target.cc", "backend/kubernetes/logs/log.h")
        self.include("backend/kubernetes/logs/log.cc", "backend/kubernetes/fields.h")
        self.assertEqual(len(self.problems()), 2)


if __name__ == "__main__":
    unittest.main()
