"""The program `talus` that the wheel carries, as a command and for talus.Run."""

import os
import shutil
import sys
from typing import NoReturn


def path() -> str:
    """The program: TALUS_PROGRAM, the one beside the package, beside the library, or on the PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    candidates = [os.environ.get("TALUS_PROGRAM", ""), os.path.join(here, "bin", "talus")]
    named = os.environ.get("TALUS_LIBRARY")
    if named:
        candidates.append(os.path.join(os.path.dirname(named), "..", "bin", "talus"))
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    found = shutil.which("talus")
    if found is None or os.path.samefile(found, sys.argv[0] or os.devnull):
        raise FileNotFoundError("the program talus was not found: install it, or name it in "
                                "TALUS_PROGRAM")
    return found


def main() -> NoReturn:
    """Runs the program in place of this process."""
    os.execv(path(), ["talus", *sys.argv[1:]])
