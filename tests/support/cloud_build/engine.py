"""The machine of a build. Its steps are executed by buildah."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

DOCKER = "gcr.io/cloud-builders/docker"
NEEDED = ("buildah",)
VALUED = {"-t": "--tag", "--tag": "--tag", "-f": "--file", "--file": "--file", "--platform": "--platform",
          "--label": "--label", "--build-arg": "--build-arg", "--progress": "--progress"}


def missing():
    """Returns the missing requirements of this machine, or None."""
    lacking = [program for program in NEEDED if not shutil.which(program)]
    return f"not installed: {', '.join(lacking)}" if lacking else None


def need_builds():
    """Skips the program if this machine cannot run builds."""
    if os.geteuid() != 0:
        print("skipped: builds need root")
        sys.exit(77)
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
        print("skipped: buildah needs private mounts, which this machine does not allow, as in a chroot")
        sys.exit(77)


class StepFailed(Exception):
    """@param code  exit code of its program"""

    def __init__(self, code, line=None):
        super().__init__(line)
        self.code, self.line = code, line


class Engine:
    """Image storage shared by all builds, so that base images are pulled once.

    @param folder  storage of images
    """

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def _buildah(self, *words):
        return ["buildah", "--root", str(self.folder / "root"), "--runroot", str(self.folder / "run"),
                "--storage-driver", "overlay", *words]

    def step(self, step, workspace, run):
        """Executes a step, or raises StepFailed.

        @param run  runs a command line in a folder and returns its exit code
        """
        if step["name"] != DOCKER:
            raise StepFailed(1, f"Error response from daemon: pull access denied for {step['name']}")
        words = list(step.get("args", []))
        if not words or words.pop(0) != "build":
            raise StepFailed(1, "docker: only build is known here")
        with_buildkit = "DOCKER_BUILDKIT=1" in step.get("env", [])
        code = run(self._buildah("bud", *self._options(words, workspace, with_buildkit)), workspace)
        if code != 0:
            raise StepFailed(code)

    def _options(self, words, workspace, with_buildkit):
        """Translates docker's options for buildah. Options unknown to docker are errors."""
        options, folders = ["--isolation", "chroot", "--tls-verify=false"], []
        file = "Dockerfile"
        while words:
            name, equals, value = words.pop(0).partition("=")
            if not name.startswith("-"):
                folders.append(name + equals + value)
                continue
            if name not in VALUED:
                raise StepFailed(125, f"unknown flag: {name}")
            value = value if equals else words.pop(0)
            if VALUED[name] == "--file":
                file = value
            elif VALUED[name] == "--progress":
                if not with_buildkit:
                    raise StepFailed(125, "unknown flag: --progress")
            else:
                options.append(f"{VALUED[name]}={value}")
        if len(folders) != 1:
            raise StepFailed(125, '"docker build" requires exactly 1 argument.')
        text = pathlib.Path(workspace, file).read_text()
        if "RUN --mount" in text and not with_buildkit:
            raise StepFailed(1, "the --mount option requires BuildKit.")
        return [*options, f"--file={file}", folders[0]]

    def push(self, image, run):
        """Pushes an image that a step has built. Returns its digest, or None if there is no such image."""
        if subprocess.run(self._buildah("inspect", "--type", "image", image), capture_output=True).returncode != 0:
            return None
        file = self.folder / f"digest-{os.getpid()}-{abs(hash(image))}"
        code = run(self._buildah("push", "--tls-verify=false", "--digestfile", str(file), image, f"docker://{image}"),
                   self.folder)
        if code != 0:
            raise StepFailed(code)
        return file.read_text().strip()

    def remove(self):
        """Removes all files, including mounts of a killed step."""
        mounts = [line.split()[1] for line in pathlib.Path("/proc/self/mounts").read_text().splitlines()]
        for mount in sorted((mount for mount in mounts if mount.startswith(str(self.folder))), reverse=True):
            subprocess.run(["umount", "--lazy", mount], capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def end(process):
    """Terminates a step with all its processes."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
