"""`pip install .` in a fresh environment: the wheel carries all it needs, works from anywhere, suits
every Python from 3.9 on, and leaves nothing when it goes. It compiles the library once more and asks
PyPI, so it runs only where TALUS_TEST_PIP is set; exit code 77 elsewhere."""

import os
import subprocess
import sys
import tempfile

if not os.environ.get("TALUS_TEST_PIP"):
    print("skipped: compiles for minutes and needs PyPI; set TALUS_TEST_PIP=1")
    sys.exit(77)

EXAMPLE = """
import numpy as np, talus
world = talus.World()
world.add_plane()
world.add_spheres(np.random.default_rng(1).uniform(0.02, 0.3, (40, 3)), 0.01)
print(world.step(100))
assert talus.__file__.startswith({prefix!r}), talus.__file__
assert talus.library.library._name.startswith({prefix!r})
"""


def files(folder):
    return {os.path.join(place, name) for place, _, names in os.walk(folder) for name in names
            if "__pycache__" not in place}


with tempfile.TemporaryDirectory() as folder:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("TALUS_", "PYTHON"))}
    place = os.path.join(folder, "venv")
    subprocess.run([sys.executable, "-m", "venv", place], check=True, env=clean)
    python = os.path.join(place, "bin", "python")

    def pip(*arguments):
        subprocess.run([python, "-m", "pip", "-q", "--disable-pip-version-check", *arguments], check=True,
                       env=clean, cwd=folder)

    pip("install", "numpy")
    before = files(place)
    pip("wheel", "--no-deps", "-w", folder, os.environ["TALUS_SOURCE"])
    wheel, = [name for name in os.listdir(folder) if name.endswith(".whl")]
    assert "cp39-abi3" in wheel, wheel
    pip("install", "--no-deps", os.path.join(folder, wheel))
    subprocess.run([python, "-c", EXAMPLE.format(prefix=place)], check=True, env=clean, cwd=folder)
    subprocess.run([os.path.join(place, "bin", "talus"), "--help"], check=True, env=clean,
                   stdout=subprocess.DEVNULL)
    pip("uninstall", "-y", "talus-contact")
    assert files(place) == before, files(place) ^ before
    print(wheel, "installed, ran, and left nothing")
