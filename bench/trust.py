#!/usr/bin/env python3
"""Whether a world can be trusted with its defaults: clumps, shaken boxes, creep, angles of repose,
steps that miss, and what the accuracy costs. Prints one table per question.

    python3 bench/trust.py [build/bin/talus ...] [--only clumps,shaken,creep,repose,first,flow,long]
                           [--seeds 12]

Several programs are measured side by side, for example one of an earlier commit. One thread each; CPU
seconds are those of the process. About 25 minutes for one program, by hand.
"""
import argparse
import csv
import glob
import math
import os
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENES = os.path.join(ROOT, "samples", "scenes")

CLUMP = """
walls: [{kind: plane}]
bodies:
  - name: dumbbell
    position: [0, 0, 20 mm]
    shape: clump
    parts:
      - {shape: sphere, radius: 4 mm, position: [0, 0, -10 mm]}
      - {shape: sphere, radius: 4 mm, position: [0, 0, 10 mm]}
output: {every: 0.5 s, track: [dumbbell]}
run: {time: 0.5 s}
"""
SHAKEN = """
walls:
  - kind: box
    size: [4 cm, 4 cm, 10 cm]
    motions: [{kind: sinusoid, amplitude: [0, 0, 3 mm], frequency: 10 Hz, begin: 0.3 s}]
grains: [{kind: random, radius: 4 mm, count: 75, sizes: {kind: uniform, low: 0.9, high: 1.1}}]
output: {every: 0.1 s}
run: {time: 2 s}
"""
TILTED = """
world: {gravity: [2.539, 0, -9.476]}
walls: [{kind: box, size: [6 cm, 6 cm, 30 cm]}]
grains: [{kind: random, radius: 3.5 mm, count: 800, sizes: {kind: uniform, low: 0.9, high: 1.1}}]
output: {every: 1 s}
run: {time: 4 s}
"""


def read_vtp(path, names):
    """Arrays of a ParaView file with appended, compressed data."""
    raw = open(path, "rb").read()
    head, _, data = raw.partition(b"<AppendedData")
    data = data[data.index(b"_") + 1:]
    arrays = {}
    pattern = rb'<DataArray type="(\w+)" Name="(\w+)" NumberOfComponents="(\d+)"[^>]*offset="(\d+)"'
    for kind, name, width, offset in re.findall(pattern, head):
        if name.decode() not in names:
            continue
        at, width = int(offset), int(width)
        blocks = struct.unpack_from("<Q", data, at)[0]
        sizes = struct.unpack_from(f"<{blocks}Q", data, at + 24)
        at += 24 + 8 * blocks
        plain = b""
        for size in sizes:
            plain += zlib.decompress(data[at:at + size])
            at += size
        code = {"Float64": "d", "Int32": "i", "Int64": "q"}[kind.decode()]
        values = struct.unpack(f"<{len(plain) // struct.calcsize(code)}{code}", plain)
        arrays[name.decode()] = [values[i:i + width] for i in range(0, len(values), width)] \
            if width > 1 else values
    return arrays


class Run:
    """One run of a scene in a folder that goes with it."""

    def __init__(self, talus, scene, begin=None, **keys):
        self.folder = tempfile.mkdtemp(prefix="trust-")
        path = scene
        if "\n" in scene:
            path = os.path.join(self.folder, "own.yaml")
            with open(path, "w") as out:
                out.write(scene)
        words = [talus, "run", path, "--out", os.path.join(self.folder, "out"), "--threads", "1",
                 "--quiet"] + (["--from", begin] if begin else [])
        for key, value in keys.items():
            words += ["--set", f"{key.replace('__', '.')}={value}"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run(words, capture_output=True, text=True)
        self.seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        self.code, self.words = done.returncode, done.stdout + done.stderr

    def column(self, name):
        with open(os.path.join(self.folder, "out", "scalars.csv")) as table:
            rows = list(csv.reader(table))
        at = [head.split(" ")[0] for head in rows[0]].index(name)
        return [float(row[at]) for row in rows[1:]]

    def positions(self, frame):
        files = sorted(glob.glob(os.path.join(self.folder, "out", "grains-*.vtp")))
        arrays = read_vtp(files[frame], {"Points", "id"})
        return dict(zip(arrays["id"], arrays["Points"]))

    def displacement(self, first, last, diameter):
        """Mean over the bodies between two frames, in diameters."""
        a, b = self.positions(first), self.positions(last)
        moved = [math.dist(a[i], b[i]) / diameter for i in a if i in b]
        return sum(moved) / len(moved)

    def missed(self):
        found = re.search(r"(\d+) steps (?:went on above|missed)", self.words)
        return int(found.group(1)) if found else 0

    def close(self):
        shutil.rmtree(self.folder)


def table(title, head, rows):
    print(f"\n{title}\n\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    sys.stdout.flush()


def clumps(talus, options):
    run = Run(talus, CLUMP)
    height = 1e3 * run.column("dumbbell_z")[-1]
    run.close()
    return [("resting height of a dumbbell of 4 mm balls at ±10 mm, mm (14)", f"{height:.3f}")]


def shaken(talus, options):
    dead = missed = steps = seconds = 0
    for seed in range(1, options.seeds + 1):
        run = Run(talus, SHAKEN, world__seed=seed, grains__0__count=60 + 7 * seed % 31)
        dead += run.code != 0
        missed += run.missed()
        steps += 2000 if run.code == 0 else 0
        seconds += run.seconds
        run.close()
    return [(f"seeds of {options.seeds} that end before 2 s", dead),
            ("steps above the tolerance, of all in whole runs", f"{missed} of {steps}"),
            ("CPU s", f"{seconds:.1f}")]


def creep(talus, options):
    rows = []
    for law in ["coulomb", "ccp"]:
        for step in ["1ms", "2ms", "5ms"]:
            for seed in [1, 2]:
                run = Run(talus, TILTED, world__step=step, world__seed=seed, world__law=law)
                rows.append((f"{law}, {step}, seed {seed}: displacement 2–4 s, diameters; coordination; "
                             "CPU s",
                             f"{run.displacement(2, 4, 7e-3):.1e}; {run.column('coordination')[-1]:.2f}; "
                             f"{run.seconds:.1f}"))
                run.close()
    return rows


def slope(points, radius, diameter, sectors=8):
    """Angle of a heap, degrees: highest bead per ring and sector, least squares by area."""
    top = {}
    for x, y, z in points.values():
        r = math.hypot(x, y)
        if z > 0 and r < radius:
            cell = (int(r / diameter), int((math.atan2(y, x) / (2 * math.pi) + 0.5) * sectors))
            top[cell] = max(top.get(cell, 0), z)
    n = sx = sy = sxx = sxy = 0
    for (ring, _), z in top.items():
        r = (ring + 0.5) * diameter
        n, sx, sy, sxx, sxy = n + r, sx + r * r, sy + r * z, sxx + r ** 3, sxy + r * r * z
    return -math.degrees(math.atan((n * sxy - sx * sy) / (n * sxx - sx * sx)))


def with_error(values):
    """The mean and its standard error."""
    mean = sum(values) / len(values)
    squares = sum((v - mean) ** 2 for v in values)
    error = math.sqrt(squares / (len(values) * (len(values) - 1))) if len(values) > 1 else math.nan
    return f"{mean:.2f} ± {error:.2f}"


def stands(talus, run, keys, step):
    """Whether a heap keeps its angle when it goes on for a second with another step."""
    after = Run(talus, os.path.join(SCENES, "heap.yaml"), begin=os.path.join(run.folder, "out"),
                **dict(keys, world__step=step, run__time="1s", inlets__spout__begin="10s"))
    angle = slope(after.positions(-1), float(keys["walls__rim__radius"][:-1]), 8e-3)
    after.close()
    return angle


def repose(talus, options):
    rows = []
    pour = {"inlets__spout__region__centre": f"[0, 0, {options.height}m]",
            "inlets__spout__velocity": f"[0, 0, -{options.speed}m/s]"}
    for friction in options.friction.split(","):
        for step in options.steps.split(","):
            angles, later, drift, seconds = [], [], [], 0
            for seed in range(1, options.heaps + 1):
                keys = dict(pour, world__step=step, world__seed=seed,
                            materials__bead__friction=friction, world__softness=options.softness,
                            walls__rim__radius=f"{options.rim}m",
                            bodies__plate__radius=f"{options.rim}m",
                            inlets__spout__limit=options.beads, run__time=options.time,
                            output__every="1s", output__contacts="false")
                run = Run(talus, os.path.join(SCENES, "heap.yaml"), **keys)
                angles.append(slope(run.positions(-1), options.rim, 8e-3))
                if options.then:
                    later.append(stands(talus, run, keys, options.then))
                drift.append(run.displacement(-2, -1, 8e-3))
                seconds += run.seconds
                run.close()
            rows.append((f"friction {friction}, {step}: angle, degrees (each heap); largest drift in the "
                         "last second, diameters; CPU s",
                         f"{with_error(angles)} (" + " ".join(f"{a:.1f}" for a in angles) +
                         f"); {max(drift):.1e}; {seconds:.0f}" +
                         (f"; a second later with {options.then}: {with_error(later)}" if later else "")))
    return rows


def first(talus, options):
    run = Run(talus, os.path.join(SCENES, "minimal.yaml"), run__time="60s", output__every="1s",
              output__frames="false")
    potential, time = run.column("potential"), run.column("time")
    at = min(range(len(time)), key=lambda i: abs(time[i] - 5))
    loss = (potential[at] - potential[-1]) / potential[at]
    seconds = run.seconds
    run.close()
    return [("potential energy lost from 5 to 60 s", f"{100 * loss:.4f} %"),
            ("CPU s", f"{seconds:.1f}")]


def flow(talus, options):
    rows = []
    for scene, time in [("drum", "1.5s"), ("hopper", "1s")]:
        run = Run(talus, os.path.join(SCENES, scene + ".yaml"), run__time=time, world__tolerance="0")
        rows.append((f"{scene}, {time}: CPU s; steps above the tolerance; iterations",
                     f"{run.seconds:.1f}; {run.missed()}; "
                     f"{sum(run.column('iterations')) / len(run.column('iterations')):.0f}"))
        run.close()
    return rows


def long(talus, options):
    rows = []
    for step in ["1s", "100ms", "20ms"]:
        run = Run(talus, os.path.join(SCENES, "minimal.yaml"), world__step=step, run__time="2s")
        depth = max(run.column("penetration_max") + [0])
        rows.append((f"step of {step}: exit code, deepest penetration, mm", f"{run.code}, {1e3 * depth:.3g}"))
        run.close()
    return rows


QUESTIONS = {"clumps": clumps, "shaken": shaken, "creep": creep, "repose": repose, "first": first,
             "flow": flow, "long": long}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("talus", nargs="*", default=[os.path.join(ROOT, "build", "bin", "talus")])
    parser.add_argument("--only", default=",".join(QUESTIONS))
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--heaps", type=int, default=2, help="heaps per angle")
    parser.add_argument("--friction", default="0.5,0.9", help="of the heaps")
    parser.add_argument("--steps", default="1ms,2ms,5ms", help="of the heaps")
    parser.add_argument("--rim", type=float, default=0.08, help="radius of the plate of the heaps, m")
    parser.add_argument("--beads", type=int, default=1200, help="of a heap")
    parser.add_argument("--time", default="6s", help="until a heap is measured")
    parser.add_argument("--height", type=float, default=0.16, help="from which a heap is poured, m")
    parser.add_argument("--speed", type=float, default=0.5, help="with which its beads begin, m/s")
    parser.add_argument("--then", default="", help="step of another second of the heap")
    parser.add_argument("--softness", default="rigid", help="of the heaps: rigid or auto")
    options = parser.parse_args()
    for name in options.only.split(","):
        columns = [QUESTIONS[name](talus, options) for talus in options.talus]
        rows = [(column[0][0],) + tuple(c[i][1] for c in columns)
                for i, column in enumerate(zip(*columns))]
        table(name, [""] + options.talus, rows)


if __name__ == "__main__":
    main()
