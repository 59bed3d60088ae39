"""Runs the notebooks of samples/notebooks, cell after cell, in their quick form (TALUS_QUICK).

Without Jupyter: code cells are plain Python, and are executed as such; pictures go nowhere. A notebook
whose packages are not installed is skipped by name. With the names of notebooks as arguments only
those; with --full as they are meant to be run. Exit code 77 where NumPy or Matplotlib is missing.
"""

import glob
import json
import os
import sys
import unittest

SOURCE = os.environ.get("TALUS_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
FOLDER = os.path.abspath(os.path.join(SOURCE, "samples", "notebooks"))
NAMES = sorted(os.path.basename(path)[:-6] for path in glob.glob(os.path.join(FOLDER, "*.ipynb")))
NEEDS = {"offload_mujoco": "mujoco", "offload_pinocchio": "pinocchio"}
MOST_BYTES = 120_000  # of a notebook with its outputs

if "--full" not in sys.argv:
    os.environ["TALUS_QUICK"] = "1"

try:
    import matplotlib
    import numpy  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
matplotlib.use("Agg")


def cells(name):
    """The code of the cells, with the number of each."""
    with open(os.path.join(FOLDER, name + ".ipynb"), encoding="utf-8") as file:
        notebook = json.load(file)
    assert notebook["nbformat"] == 4
    return [(i, "".join(cell["source"])) for i, cell in enumerate(notebook["cells"])
            if cell["cell_type"] == "code"]


class Notebooks(unittest.TestCase):
    def run_notebook(self, name):
        needed = NEEDS.get(name)
        if needed is not None:
            try:
                __import__(needed)
            except ImportError:
                self.skipTest(f"{name}: {needed} is not installed")
        path, before, here = list(sys.path), os.getcwd(), {"__name__": "__main__"}
        os.chdir(FOLDER)
        try:
            for number, code in cells(name):
                exec(compile(code, f"{name}.ipynb, cell {number}", "exec"), here)
        finally:
            os.chdir(before)
            sys.path[:] = path
            matplotlib.pyplot.close("all")

    def test_there(self):
        self.assertGreaterEqual(len(NAMES), 6)
        for name in NAMES:
            self.assertLess(os.path.getsize(os.path.join(FOLDER, name + ".ipynb")), MOST_BYTES, name)


def _test(name):
    return lambda self: self.run_notebook(name)


import matplotlib.pyplot  # noqa: E402

for _name in NAMES:
    setattr(Notebooks, "test_" + _name, _test(_name))

if __name__ == "__main__":
    chosen = [a for a in sys.argv[1:] if not a.startswith("-")]
    unittest.main(argv=[sys.argv[0], *(f"Notebooks.test_{name}" for name in chosen)], verbosity=2)
