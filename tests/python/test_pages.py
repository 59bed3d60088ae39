"""The Python code of the pages runs as it stands. Exit code 77 where NumPy or libyaml is missing."""

import os
import re
import sys

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

import talus

try:
    talus.Scene({"run": {"time": 1}})
except talus.Error as error:
    if error.status == talus.Status.UNSUPPORTED:
        print("skipped: built without libyaml")
        sys.exit(77)

ROOT = os.environ["TALUS_SOURCE"]
count = 0
for page in ("README.md", "docs/tutorial/first-heap.md", "host/python/README.md", "docs/how-to/differentiate.md"):
    with open(os.path.join(ROOT, page)) as file:
        text = file.read()
    names = {}
    for code in re.findall(r"^```python\n(.*?)^```", text, re.S | re.M):
        if page.endswith("differentiate.md") and "talus.torch" in code:    # test_gradient has it
            continue
        lines = len([line for line in code.splitlines() if line.strip()])
        print(f"{page}: {lines} lines", flush=True)
        exec(compile(code, page, "exec"), names)
        count += 1
    if page.endswith("first-heap.md"):
        top = names["world"].position[names["world"].ids, 2].max()
        assert 0.03 < top < 0.2, top    # beads that roll away lie in one layer, 0.01 m
assert count >= 8, count
