"""Tests that a log of which the job itself has lost a part says so."""

import os
import subprocess
import unittest

from harness import JobCase


class LostLog(JobCase):
    def environment(self, **more):
        return super().environment(KINETIC_STATE_DIR=str(self.home / "state"),
                                   KINETIC_STORE=str(self.home / "store"), **more)

    def logs_of(self, script):
        """Runs a job that finds its spool in $SPOOL, and returns what `logs` prints then."""
        spool = f"{self.home}/state/jobs/$KINETIC_JOB_ID/spool"
        job = self.submit("sh", "-c", f"SPOOL={spool}; echo first; sleep 1; {script}; echo last; sleep 1; echo end")
        self.run_kinetic("wait", job, code=None)
        return self.run_kinetic("logs", job)

    def test_removed_spool(self):
        done = self.logs_of("rm -r $SPOOL")
        self.assertRegex(done.stdout + done.stderr, r"\d records are missing")

    def test_replaced_spool(self):
        done = self.logs_of("mv $SPOOL $SPOOL.old; mkdir $SPOOL")
        self.assertRegex(done.stdout + done.stderr, r"\d records are missing")

    def test_emptied_spool(self):
        done = self.logs_of("for f in $SPOOL/*; do : >$f; done")
        self.assertRegex(done.stdout + done.stderr, r"\d records are missing")

    def test_full_state_disk(self):
        disk = self.home / "state"
        disk.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", disk],
                                               capture_output=True, check=False).returncode != 0:
            self.skipTest("a disk of its own needs root and mounts")
        self.addCleanup(subprocess.run, ["umount", "-l", disk], check=False)
        job = self.submit("sh", "-c", "i=0; while [ $i -lt 40000 ]; do echo line $i; i=$((i+1)); done")
        self.run_kinetic("wait", job, code=None)
        self.assertIn("[the end of the log could not be read: ", self.run_kinetic("logs", job).stderr)


if __name__ == "__main__":
    unittest.main()
