#!/usr/bin/env python3
"""test_format.py: every C and CUDA file is as clang-format would write it, and no line is too long.

The rules are in .clang-format; clang-format leaves comments alone, so their width is looked at here. The
releases of clang-format differ in details: one other than RELEASE says "skipped" (exit code 77).

    test_format.py SOURCE_FOLDER           --write as a further argument: formats what deviates
"""
import os
import re
import shutil
import subprocess
import sys

RELEASE, WIDTH, SKIPPED = "14", 100, 77
FOLDERS = ("include", "host", "kernels", "samples", "tests")
SOURCE = re.compile(r"\.(c|h|cu|cuh|cpp)$")
KEPT = "tests/abi/0."  # headers of releases, which never change


def sources(root):
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                file = os.path.join(path, name)
                if SOURCE.search(name) and not os.path.relpath(file, root).startswith(KEPT):
                    yield file


def find_program():
    for name in (f"clang-format-{RELEASE}", "clang-format"):
        program = shutil.which(name)
        if program:
            version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
            if re.search(rf"version {RELEASE}\.", version):
                return program
    return None


def main():
    root, write = sys.argv[1], "--write" in sys.argv[2:]
    files = list(sources(root))
    program = find_program()
    if program is None:
        print(f"skipped: no clang-format {RELEASE}")
        return SKIPPED
    result = subprocess.run([program, "-i" if write else "--dry-run", *files], capture_output=True,
                            text=True, cwd=root)
    found = set(re.findall(r"^(.*?):\d+:\d+: warning: code should be clang-formatted", result.stderr,
                           re.MULTILINE))
    faults = [f"{file}: deviates from .clang-format: test_format.py . --write" for file in sorted(found)]
    if result.returncode != 0:
        faults.append(f"{program} failed: {result.stderr[:400]}")
    for file in files:
        with open(file, encoding="utf-8") as text:
            faults += [f"{file}:{number}: {len(line) - 1} columns, {WIDTH} at the most"
                       for number, line in enumerate(text, 1) if len(line) > WIDTH + 1]
    print("\n".join(faults) if faults else f"{len(files)} files are formatted")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
