"""Makes the packages of a build with cpack and uses them.   cpack_test.py BUILD [Archive|BareRoot]

Archive moves the unpacked .tar.gz. BareRoot uses the .tar.gz and the .deb in a Debian without the libraries of kinetic.
"""

import gzip
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support/cluster"))
import images

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
# glibc, which packages do not contain, and the vDSO.
SYSTEM = ("ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libresolv.so", "linux-vdso")
SESSION = """
set -eu
mkdir /tmp/project
cd /tmp/project
kinetic version --check
kinetic run -- sh -c 'echo hello from the job'
printf 'def double(number):\\n    return 2 * number\\n' >work.py
printf 'function: work:double\\nargs: {number: 21}\\n' >job.yaml
kinetic run job.yaml
kinetic image runner --output runner.tar
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class Packages(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="kinetic-package-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def package(self, generator, pattern):
        run("cpack", "--config", BUILD / "CPackConfig.cmake", "-G", generator, "-B", self.folder / generator)
        (package,) = (self.folder / generator).glob(pattern)
        return package

    def unpack(self, folder):
        folder.mkdir(parents=True)
        run("tar", "-xzf", self.package("TGZ", "*.tar.gz"), "--strip-components=1", "-C", folder)


class Archive(Packages):
    def test_moved_programs_run_a_job_with_their_own_libraries(self):
        self.unpack(self.folder / "unpacked")
        moved = (self.folder / "unpacked").rename(self.folder / "moved here")
        link = self.folder / "bin/kinetic"
        link.parent.mkdir()
        link.symlink_to(moved / "bin/kinetic")
        environment = {"HOME": str(self.folder), "PATH": f"{link.parent}:/usr/bin:/bin", "LANG": "C.UTF-8"}
        for program in ("bin/kinetic", "libexec/kinetic/kinetic-runner"):
            for line in run("ldd", moved / program).splitlines():
                name, _, file = line.strip().partition(" => ")
                if file and not name.startswith(SYSTEM):
                    self.assertTrue(file.startswith(f"{moved}/"), line)
        checks = {check["name"]: check for check in
                  json.loads(run("kinetic", "version", "--check", "--json", env=environment))["checks"]}
        for name in ("runner", "launcher"):
            self.assertEqual(checks[name]["path"], str(moved / f"libexec/kinetic/kinetic-{name}"))
        self.assertEqual(run("kinetic", "run", "--", "echo", "hello", env=environment, cwd=moved / "share"), "hello\n")
        for file in ("bash-completion/completions/kinetic", "zsh/site-functions/_kinetic",
                     "fish/vendor_completions.d/kinetic.fish", "doc/kinetic/libraries/libcurl4"):
            self.assertTrue((moved / "share" / file).read_text(), file)
        self.assertIn(".SS kinetic run", gzip.decompress((moved / "share/man/man1/kinetic.1.gz").read_bytes()).decode())


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class BareRoot(Packages):
    def setUp(self):
        super().setUp()
        images.bundle()  # creates the Debian layer too
        self.root = self.folder / "root"
        self.root.mkdir()
        run("tar", "-xf", images.CACHE / f"debian@{images._debian_key().decode()}.tar", "-C", self.root)

    def in_root(self, script):
        """Runs a script in the root, and ends its processes."""
        mounts = f"mount -t proc proc {self.root}/proc; mount --rbind /dev {self.root}/dev"
        inner = f"{mounts}; exec chroot {self.root} /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin sh -c {shlex.quote(script)}"
        return run("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", inner)

    def check(self, prefix, output):
        self.assertIn(f" at {prefix}/libexec/kinetic/kinetic-runner", output)
        self.assertIn(f" at {prefix}/libexec/kinetic/kinetic-launcher", output)
        self.assertIn("\nhello from the job\n", output)
        self.assertIn("\n42\n", output)
        self.assertIn("/kinetic-runner:0.", output)

    def test_archive(self):
        self.unpack(self.root / "opt/kinetic")
        self.check("/opt/kinetic", self.in_root("PATH=$PATH:/opt/kinetic/bin; " + SESSION))

    def test_debian_package(self):
        package = self.package("DEB", "*.deb")
        run("lintian", "--allow-root", "--fail-on", "error,warning", package)
        shutil.copy(package, self.root / "kinetic.deb")
        self.check("/usr", self.in_root("dpkg -i /kinetic.deb >/dev/null; " + SESSION))
        self.in_root("dpkg --purge kinetic >/dev/null; test ! -e /usr/bin/kinetic; test ! -e /usr/lib/kinetic")


if __name__ == "__main__":
    unittest.main()
