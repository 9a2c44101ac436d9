"""Hints of the library name the keywords of `kinetic.run`."""

import sys
import unittest

from harness import PACKAGE, PythonCase

sys.path.insert(0, PACKAGE)

from kinetic._wording import in_python  # noqa: E402

WORDS = {
    "pass --accelerator cpu; to run it on a cluster, pass --target with the cluster's profile":
        'pass accelerator="cpu"; to run it on a cluster, pass `target` with the cluster\'s profile',
    "use another one: kinetic run --target PROFILE": 'use another one: kinetic.run with target="PROFILE"',
    "select its profile with --target tpu, or wait": 'select its profile with target="tpu", or wait',
    "select a root that contains both with --root": "select a root that contains both with `bundle`",
    "set another folder with --root or bundle.root": "set another folder with `bundle`",
    "set another version with `python:` in the job file or --python": "set another version with `python`",
    "set 'python: \"3.12\"' in the job file, or install it": 'set python="3.12", or install it',
    "LoadProfile: no profile 'tpu'": "no target or profile 'tpu'",
    "write large arguments to a file under 'data', and pass its path: {$path: FILE}":
        "write large arguments to a file, and pass kinetic.Data with its path",
    "pass the data as an argument instead, {$path: /data}, which is a path in the job":
        "pass the data as an argument instead, kinetic.Data(…), which is a path in the job",
    "increase 'resources: {memory: …}' or --memory": 'increase resources={"memory": …}',
    "increase 'timeouts: {run: …}' or --timeout": 'increase timeouts={"run": …}',
    "set another folder with --store or KINETIC_STORE": "set another folder with KINETIC_STORE",
    "specify your project: --quota-project PROJECT": "specify your project: KINETIC_QUOTA_PROJECT",
    "use the job file's 'image'": "use the keyword 'image'",
    "remove 'image:' from the job file": "remove `image`",
    "add it to `secrets` in the job file; see below": "add it to `secrets` in kinetic.run; see below",
}
UNCHANGED = (
    "to remove the job: kinetic rm --force abc", "replace it with 'kinetic lock --renew'",
    "set one: kinetic profile create tpu --set project=PROJECT", "install it with 'uv python install 3.12'",
    "release the hold: gcloud storage objects update --no-temporary-hold", "the accelerator v99 is unknown",
    "'gs://b/team' is not a valid store", "cannot read /data/--root/x",
)


class Words(unittest.TestCase):
    def test_options_and_keys_become_keywords(self):
        for text, expected in WORDS.items():
            self.assertEqual(in_python(text), expected)

    def test_commands_and_other_texts_are_unchanged(self):
        for text in UNCHANGED:
            self.assertEqual(in_python(text), text)


class Errors(PythonCase):
    def test_errors_name_keywords(self):
        done = self.run_python("-c", """if 1:
            import kinetic
            for keywords in ({"accelerator": "v5litepod-1"}, {"python": "3.99"}):
                try:
                    kinetic.run(**keywords)(print)()
                except kinetic.Error as error:
                    print(error.hint)
        """)
        accelerator, python = done.stdout.splitlines()
        self.assertIn('pass accelerator="cpu"; to run it on a cluster, pass `target` with', accelerator)
        self.assertTrue(python.endswith("or set another version with `python`"), python)


if __name__ == "__main__":
    unittest.main()
