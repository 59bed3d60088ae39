"""Worlds and runs to look at: the page in headless Chromium, PyVista off screen; each part says
"skipped" where its program is missing. Exit code 77 where NumPy or libyaml is."""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

import talus
from talus import page, picture, program

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SCENE = {"walls": [{"kind": "box", "size": [0.1, 0.1, 0.1]}],
         "grains": [{"kind": "random", "radius": 0.006, "count": 80}],
         "run": {"time": 0.2}, "output": {"every": 0.02}}
try:
    talus.Scene(SCENE)
except talus.Error as error:
    if error.status != talus.Status.UNSUPPORTED:
        raise
    print("skipped: built without libyaml")
    sys.exit(77)


def png_read(path):
    """(height, width, 3) of a PNG of 8 bits, RGB or RGBA, not interlaced."""
    with open(path, "rb") as file:
        data = file.read()
    place, packed = 8, b""
    while place < len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        body = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack_from(">IIBB", body)
            assert depth == 8 and colour in (2, 6)
        packed += body if kind == b"IDAT" else b""
        place += 12 + length
    channels = 3 if colour == 2 else 4
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    rows = np.zeros((height + 1, width + 1, channels), np.int64)
    for y in range(height):
        line, above = raw[y, 1:].reshape(width, channels).astype(np.int64), rows[y, 1:]
        if raw[y, 0] == 0:
            made = line
        elif raw[y, 0] == 1:
            made = np.cumsum(line, axis=0)
        elif raw[y, 0] == 2:
            made = line + above
        else:
            made = np.zeros_like(line)
            for x in range(width):
                a, b, c = rows[y + 1, x], above[x], rows[y, x]
                if raw[y, 0] == 3:
                    guess = (a + b) // 2
                else:
                    p = a + b - c
                    pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                    guess = np.where((pa <= pb) & (pa <= pc), a, np.where(pb <= pc, b, c))
                rows[y + 1, x + 1] = made[x] = (line[x] + guess) & 255
        rows[y + 1, 1:] = made & 255
    return rows[1:, 1:, :3].astype(np.uint8)


def screenshot(path, place, name):
    subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--use-gl=angle",
                    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
                    f"--user-data-dir={os.getcwd()}/profile", "--window-size=400,344",
                    "--virtual-time-budget=3000", f"--screenshot={os.getcwd()}/{name}",
                    f"file://{os.path.abspath(path)}#{place}"], check=True, timeout=120,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return png_read(name)[:300]  # without the bar


def played(path):
    """The page after three seconds in which it was let play: (what the button says, the frame shown)."""
    shown = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--use-gl=angle",
                            "--use-angle=swiftshader", "--enable-unsafe-swiftshader", f"--user-data-dir={os.getcwd()}/profile",
                            "--virtual-time-budget=3020", "--dump-dom", f"file://{os.path.abspath(path)}#play"],
                           check=True, timeout=120, capture_output=True, text=True).stdout
    return re.search(r'id="play">(\w+)<', shown).group(1), float(re.search(r"t = ([0-9.e+-]+) s", shown).group(1))


def browser_runs():
    """Whether the browser can draw at all here: a page without anything of ours."""
    if BROWSER is None:
        return False
    with open("plain.html", "w") as file:
        file.write("<body style='background: red'>")
    try:
        return bool(coloured(screenshot("plain.html", "", "plain.png")).all())
    except (OSError, subprocess.SubprocessError) as error:
        print(f"{BROWSER} does not run here: {error}")
        return False


def coloured(image):
    """Where there is neither white nor the grey of walls."""
    spread = image.max(axis=2).astype(int) - image.min(axis=2)
    return spread > 40


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_ = talus.Scene(SCENE).run("run", force=True)
        cls.browser = browser_runs()

    def test_run(self):
        self.run_.export_html("run.html")
        self.run_.export_html("few.html", every=5, field="height")
        self.assertLess(os.path.getsize("few.html"), os.path.getsize("run.html"))
        with self.assertRaisesRegex(ValueError, "one of speed"):
            self.run_.export_html("no.html", field="colour")
        if not self.browser:
            self.skipTest("no chromium that runs")
        first, last = (screenshot("run.html", f"frame={i}", f"frame{i}.png") for i in (0, 10))
        for image in (first, last):
            self.assertTrue(0.02 < coloured(image).mean() < 0.6, coloured(image).mean())
        rows = [np.flatnonzero(coloured(image).any(axis=1)) for image in (first, last)]
        self.assertGreater(rows[1].min(), rows[0].min() + 10)  # the grains have fallen
        says, seconds = played("run.html")
        self.assertEqual(says, "Stop")
        self.assertGreater(seconds, 0)
        forces = screenshot("run.html", "frame=10,forces", "forces.png").astype(int)
        red = (forces[..., 0] > forces[..., 1] + 60) & (forces[..., 0] > forces[..., 2] + 30)
        self.assertGreater(red.sum(), 2000)  # bars, not lines of a pixel

    def test_world(self):
        world = talus.World()
        world.add_plane()
        world.add_box((0, 0, 0.1), (0.1, 0.1, 0.1))
        world.add_capsule((0.5, 0, 0.3), 0.1, 0.2)
        world.add_cylinder((-0.5, 0, 0.3), 0.1, 0.2)
        world.add_hull((0, 0.5, 0.3), 0.1 * np.concatenate([np.eye(3), -np.eye(3)]))
        world.add_sphere((0, -0.5, 0.3), 0.1)
        world.step(5)
        shown = picture.picture_of_world(world)
        for points, faces in (shown.solids, shown.walls):
            self.assertTrue(0 <= faces.min() and faces.max() < len(points))
        shapes = world.shapes()
        for shape, area in ((shapes[1], 6 * 0.04), (shapes[3], 2 * np.pi * 0.1 * 0.5), (shapes[4], 0.04 * 3 ** 0.5)):
            points, faces = picture._tessellated(shape, 1.0)
            corners = points[faces]
            found = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0],
                                            corners[:, 2] - corners[:, 0]), axis=1).sum() / 2
            self.assertAlmostEqual(found / area, 1, delta=0.02)
        world.export_html("world.html", title="<b>")
        with open("world.html") as file:
            self.assertIn("<title>&lt;b&gt;", file.read())
        with self.assertRaisesRegex(ValueError, "nothing to show"):
            talus.World().export_html("empty.html")
        if not self.browser:
            self.skipTest("no chromium that runs")
        image = screenshot("world.html", "", "world.png").astype(int)
        orange = (image[..., 0] > image[..., 2] + 60).mean()
        self.assertTrue(0.02 < orange < 0.5, orange)

    def test_verb(self):
        for arguments, code in ((["run", "--quiet", "--every", "5"], 0), ([".", "--quiet"], 2),
                                (["run", "--quiet", "--field", "taste"], 2)):
            self.assertEqual(program.view(arguments), code)
        self.assertTrue(os.path.exists("run/view.html"))
        program_ = os.environ.get("TALUS_PROGRAM")
        if program_ is None:
            return
        here = dict(os.environ, TALUS_PYTHON=sys.executable)
        for arguments, changes, code in (
                (["run", "--quiet", "--out", "c.html", "--field", "height"], {}, 0),
                (["run", "--quiet"], {"PYTHONPATH": "", "TALUS_PYTHON": "/usr/bin/false"}, 1),
                (["run"], {"TALUS_PYTHON": "/nowhere/python3"}, 2), (["nowhere"], {}, 2)):
            done = subprocess.run([program_, "view", *arguments], env={**here, **changes},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertTrue(os.path.exists("c.html"))

    def test_program(self):
        """It is looked for where sys.argv names no file, too."""
        with tempfile.TemporaryDirectory() as folder:
            place = os.path.join(folder, "talus")
            with open(place, "w") as file:
                file.write("#!/bin/sh\n")
            os.chmod(place, 0o755)
            os.mkdir(os.path.join(folder, "lib"))
            named = os.path.join(folder, "lib", "libtalus.so")  # no program beside it
            os.symlink(os.path.abspath(talus.library.library._name), named)
            here = {**os.environ, "PATH": folder + os.pathsep + os.environ.get("PATH", ""),
                    "TALUS_LIBRARY": named}
            here.pop("TALUS_PROGRAM", None)
            done = subprocess.run([sys.executable, "-c", "import talus.program; print(talus.program.path())"],
                                  env=here, capture_output=True, text=True, cwd=folder)
            self.assertEqual((done.returncode, done.stdout.strip()), (0, place), done.stderr)

    def test_size(self):
        draw = np.random.default_rng(1)
        zeros = np.zeros((5000, 3))
        pictures = [picture.Picture(0.1 * i, draw.random((5000, 3)), np.full(5000, 0.01),
                                    {"speed": draw.random(5000)}, picture.NOTHING, picture.NOTHING,
                                    {"position": zeros[:0], "normal": zeros[:0], "force": zeros[:0]})
                    for i in range(100)]
        page._write_page("large.html", "large", pictures, "speed", 0.1, False)
        size = os.path.getsize("large.html")
        print(f"5000 grains, 100 frames: {size / 1e6:.1f} MB")
        self.assertLess(size, 20e6)
        os.remove("large.html")

    def test_pyvista(self):
        try:
            import pyvista
        except ImportError:
            with self.assertRaisesRegex(ImportError, "pip install talus-contact"):
                self.run_.show()
            self.skipTest("PyVista is not installed")
        world = talus.Scene(SCENE).build()
        world.step(100)
        # what moves fills the view; seen as far off as all of the walls it had 0.027
        for shown, forces, least in ((world, False, 0.035), (world, True, 0.005),
                                     (self.run_, False, 0.005), (self.run_, True, 0.005)):
            plotter = pyvista.Plotter(off_screen=True, window_size=(300, 300))
            shown.show(forces=forces, plotter=plotter)
            image = np.asarray(plotter.screenshot(None, return_img=True))[..., :3]
            self.assertGreater(coloured(image).mean(), least)
            plotter.close()
        self.rods_go(pyvista, world)

    def rods_go(self, pyvista, world):
        """What is drawn again shows no more than there is, from where the caller looks."""
        plotter = pyvista.Plotter(off_screen=True)
        plotter.camera_position = [(5, 0, 0), (0, 0, 0), (0, 0, 1)]
        world.show(forces=True, plotter=plotter)
        self.assertIn("forces", plotter.actors)
        self.assertEqual(tuple(plotter.camera.position), (5, 0, 0))
        world.show(plotter=plotter)
        self.assertNotIn("forces", plotter.actors)
        self.assertIn("grains", plotter.actors)
        plotter.close()


if __name__ == "__main__":
    unittest.main()
