"""The program `talus` that the wheel carries, as a command and for talus.Run; and its verb `view`."""

import argparse
import os
import shutil
import sys
import webbrowser
from typing import List

from .library import library


def path() -> str:
    """The program: TALUS_PROGRAM, the one beside the package, beside the library (of an installation or
    a build), or on the PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    candidates = [os.environ.get("TALUS_PROGRAM", ""), os.path.join(here, "bin", "talus")]
    folder = os.path.dirname(library._name)
    if folder:
        candidates.append(os.path.join(folder, "..", "bin", "talus"))
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK):
            return candidate
    found, running = shutil.which("talus"), sys.argv[0]  # "-c" and "" are no files
    if found is None or (os.path.exists(running) and os.path.samefile(found, running)):
        raise FileNotFoundError("the program talus was not found: install it, or name it in "
                                "TALUS_PROGRAM")
    return found


def view(arguments: List[str]) -> int:
    """`talus view DIR`: writes the page of a run, and opens it where there is a browser."""
    parser = argparse.ArgumentParser(
        prog="talus view", description="Writes one page that plays a run in any browser, and opens it.")
    parser.add_argument("directory", metavar="DIR", help="of a run")
    parser.add_argument("--out", metavar="FILE", help="the page (default DIR/view.html)")
    parser.add_argument("--field", default="speed",
                        help="what colours the spheres: speed, spin, radius, height, vx, vy, vz")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="takes each such frame")
    parser.add_argument("--quiet", action="store_true", help="does not open it")
    given = parser.parse_args(arguments)
    from . import Error, Run
    try:
        page = given.out or os.path.join(given.directory, "view.html")
        Run(given.directory).export_html(page, field=given.field, every=given.every)
    except (Error, ValueError, OSError) as error:
        print(f"talus: {error}", file=sys.stderr)
        return 2
    print(page)
    if not given.quiet:
        webbrowser.open("file://" + os.path.abspath(page))
    return 0


def main() -> int:
    """`view` is done here; for all else the program runs in place of this process."""
    if sys.argv[1:2] == ["view"]:
        return view(sys.argv[2:])
    os.execv(path(), ["talus", *sys.argv[1:]])
