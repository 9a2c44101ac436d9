"""Removes folders with kinetic's environments, whose folders are read-only."""

import os
import shutil
import subprocess


def remove(folder):
    """Removes a folder, also if the user is not root. Ignores files of other users."""
    if os.geteuid() != 0:
        subprocess.run(["chmod", "-R", "u+rwX", folder], stderr=subprocess.DEVNULL)
    shutil.rmtree(folder, ignore_errors=True)
