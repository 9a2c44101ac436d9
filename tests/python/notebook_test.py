"""Runs the cells of docs/guide/notebooks.md, and others, in a real Jupyter kernel.

    notebook_test.py PACKAGE BIN PAGE
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PAGE = pathlib.Path(sys.argv.pop(3)).resolve()

from harness import TIMEOUT, PythonCase  # noqa: E402

REQUIREMENTS = ["ipykernel==7.4.0", "nbclient==0.11.0"]
CELL = re.compile(r"```python\n(.*?)```\s*<!-- test: skip: its output -->\s*```text\n(.*?)```", re.DOTALL)
RUN = f"""
import json, nbclient, nbformat, sys

cells = [nbformat.v4.new_code_cell(source) for source in json.load(sys.stdin)]
notebook = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(notebook, timeout={TIMEOUT}, kernel_name="python3", allow_errors=True).execute()
print(nbformat.writes(notebook))
"""
INTERRUPTED = """
import os, signal, sys, threading, time

def interrupt(main):
    while sys._current_frames()[main].f_code.co_name != "_wait":
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)  # as Jupyter does

threading.Thread(target=interrupt, args=(threading.get_ident(),), daemon=True).start()
kinetic.run(time.sleep, name="nap")(600)
"""


def jupyter():
    """Returns the Python of a virtual environment that has a Jupyter kernel."""
    folder = pathlib.Path.home() / ".cache/kinetic-tests" / "-".join(REQUIREMENTS)
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        fresh = pathlib.Path(tempfile.mkdtemp(prefix="installing-", dir=folder.parent))
        subprocess.run(["/usr/bin/python3", "-m", "venv", fresh], check=True)
        subprocess.run([fresh / "bin/python3", "-m", "pip", "install", "-q", *REQUIREMENTS], check=True)
        fresh.rename(folder)
    return folder / "bin/python3"


def texts(cell):
    """Returns the outputs of a cell as text."""
    for output in cell["outputs"]:
        if output["output_type"] == "stream":
            yield "".join(output["text"]).rstrip("\n")
        elif output["output_type"] == "error":
            yield f"{output['ename']}: {output['evalue']}"
        else:
            yield "".join(output["data"]["text/plain"])


def normalized(text):
    text = re.sub(r"\b[a-z2-7]{16}\b", "ID", text)
    return re.sub(r"\b[\d.]+s\b", "TIME", text).strip()


class Notebooks(PythonCase):
    def run_cells(self, *cells, **environment):
        """Returns the cells of the notebook as a notebook server saves it."""
        done = subprocess.run([jupyter(), "-c", RUN], input=json.dumps(cells), cwd=self.work, capture_output=True,
                              text=True, env=self.environment(**environment), timeout=3 * TIMEOUT)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["cells"]

    def test_cells_of_the_guide(self):
        expected = CELL.findall(PAGE.read_text())
        self.assertEqual(len(expected), PAGE.read_text().count("```python"))
        cells = self.run_cells(*(source for source, _ in expected))
        for cell, (source, text) in zip(cells, expected):
            with self.subTest(source):
                self.assertEqual(normalized("\n".join(texts(cell))), normalized(text))

    def test_interrupt_detaches(self):
        cell = self.run_cells("import kinetic", INTERRUPTED)[1]
        job, = self.jobs()
        self.kinetic("cancel", job["id"])
        panel, message, error = texts(cell)
        self.assertEqual(normalized(panel), "… job ID  submitted  TIME")
        self.assertIn(f"detached: job {job['id']} continues", message)
        self.assertTrue(error.startswith("KeyboardInterrupt"), error)

    def test_saved_notebook_is_small(self):
        cells = self.run_cells(
            "import kinetic, sys\n@kinetic.run\ndef chatter(n):\n    for i in range(n):\n        print('line', i)",
            "for _ in range(12):\n    chatter(2000)")
        panel, = cells[1]["outputs"]
        self.assertLess(len(json.dumps(panel)), 100_000)
        text, = texts(cells[1])
        self.assertTrue(text.startswith("2 earlier jobs\n"), text[:200])
        self.assertTrue(text.endswith("line 1999"), text[-200:])
        self.assertNotIn("script", "".join(panel["data"]["text/html"]))

    def test_await_and_plain_lines(self):
        cells = self.run_cells("import kinetic\n@kinetic.run\ndef double(x):\n    print('in', x)\n    return 2 * x",
                               "await double.submit(4)", "double(5)", KINETIC_PROGRESS="plain")
        self.assertEqual([list(texts(cell)) for cell in cells[1:]], [["8"], ["in 5", "10"]])

    def test_followed_log_is_complete(self):
        cells = self.run_cells("import kinetic\n@kinetic.run\ndef chatter():\n    for i in range(100):\n        print(i)",
                               "job = chatter.submit()", "job.logs(follow=True)")
        self.assertEqual("\n".join(texts(cells[2])).split(), [str(i) for i in range(100)])


if __name__ == "__main__":
    unittest.main()
