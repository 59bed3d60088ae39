"""The package passes mypy --strict. Exit code 77 where mypy is missing."""

import importlib.util
import os
import shutil
import subprocess
import sys

root = os.environ["TALUS_SOURCE"]
if importlib.util.find_spec("mypy") is not None:
    command = [sys.executable, "-m", "mypy"]
elif shutil.which("mypy"):
    command = ["mypy"]
else:
    print("skipped: mypy is not installed (pip install mypy)")
    sys.exit(77)
sys.exit(subprocess.run([*command, "--cache-dir", os.path.join(os.getcwd(), "cache"), "--config-file",
                         os.path.join(root, "pyproject.toml")], cwd=root).returncode)
