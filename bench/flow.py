#!/usr/bin/env python3
"""Grains in flow by Talus and by LIGGGHTS, side by side in one run: a turning drum and a hopper that
empties. CPU seconds per simulated second, overlap, angle, outflow, stress; writes a table.

    python3 bench/flow.py [build/bin/talus] [--only drum,hopper] [--codes talus,liggghts]
                          [--cases rigid,soft,...] [--time 1.5] [--json FILE]

Every case begins with the same packing at rest, settled by Talus with rigid contacts. LIGGGHTS is
Debian's package (apt install liggghts): Hertz with history, steps of 20 % of Rayleigh's time. One
thread each; CPU seconds are user seconds of the process; what is in the file of --json is not
measured again. About half an hour on an idle core, by hand.
"""
import argparse
import csv
import glob
import json
import math
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile

from trust import ROOT, read_vtp

RADIUS, DENSITY, COUNT = 3e-3, 2500, 5000
DRUM = {"radius": 0.1, "length": 0.08, "segments": 72, "friction": 0.5, "turn": 4.0}
HOPPER = {"radius": 0.06, "height": 0.5, "opening": 0.036, "segments": 64, "friction": 0.4}

WALLS = {
    "drum": """
materials: {bead: {density: 2500 kg/m3, friction: 0.5}}
walls:
  - {name: drum, kind: drum, radius: 10 cm, length: 8 cm, segments: 72%s}
""",
    "hopper": """
materials: {bead: {density: 2500 kg/m3, friction: 0.4}}
walls:
  - {name: hopper, kind: hopper, radius: 6 cm, height: 50 cm, opening: 3.6 cm, angle: 45 deg, segments: 64}
%s
""",
}
SETTLING = {"drum": "", "hopper": "  - {name: gate, kind: plane}"}
FLOWING = {
    "drum": ", motions: [{kind: spin, spin: [0, 15 rpm, 0]}]",
    "hopper": "outlets: [{region: {lower: [-inf, -inf, -inf], upper: [inf, inf, -5 cm]}}]",
}
GRAINS = """
grains:
  - {kind: random, radius: 3 mm, count: %d, sizes: {kind: uniform, low: 0.9, high: 1.1}}
output: {every: 0.5 s, contacts: false}
run: {time: 0.5 s}
"""

# name: words of the table, what is set
TALUS = {
    "rigid": ("rigid, 1 ms", {}),
    "rigid fine": ("rigid, 1 ms, a tenth of the tolerance", {"world.tolerance": "1e-5"}),
    "soft": ("softness auto, 1 ms", {"world.softness": "auto"}),
    "soft fine": ("softness auto, 1 ms, a tenth of the tolerance",
                  {"world.softness": "auto", "world.tolerance": "1e-5"}),
    "soft 2 ms": ("softness auto, 2 ms", {"world.softness": "auto", "world.step": "2ms"}),
    "soft 2 ms fine": ("softness auto, 2 ms, a tenth of the tolerance",
                       {"world.softness": "auto", "world.step": "2ms", "world.tolerance": "1e-5"}),
    "soft 5 ms": ("softness auto, 5 ms", {"world.softness": "auto", "world.step": "5ms"}),
}
LIGGGHTS = {"E 1e7": ("LIGGGHTS, E = 1e7 Pa", 1e7), "E 1e8": ("LIGGGHTS, E = 1e8 Pa", 1e8)}

INPUT = """
atom_style granular
atom_modify map array
boundary f f f
newton off
communicate single vel yes
units si
read_data start.data
neighbor 1e-3 bin
neigh_modify delay 0
fix young all property/global youngsModulus peratomtype {young}
fix poisson all property/global poissonsRatio peratomtype 0.25
fix rebound all property/global coefficientRestitution peratomtypepair 1 0.1
fix rub all property/global coefficientFriction peratomtypepair 1 {friction}
pair_style gran model hertz tangential history
pair_coeff * *
timestep {step}
fix weight all gravity 9.81 vector 0.0 0.0 -1.0
fix shell all mesh/surface file walls.stl type 1
fix walls all wall/gran model hertz tangential history mesh n_meshes 1 meshes shell
{motion}
fix move all nve/sphere
thermo_style custom step atoms ke
thermo {often}
thermo_modify lost ignore norm no
dump frames all custom {often} frame-*.txt id x y z radius
run {steps}
"""


def user_seconds():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


# ---- the packing at rest ----------------------------------------------------------------------


def beads_of(folder, frame):
    arrays = read_vtp(sorted(glob.glob(os.path.join(folder, "grains-*.vtp")))[frame],
                      {"Points", "radius"})
    return [point + (radius,) for point, radius in zip(arrays["Points"], arrays["radius"])]


def settle(talus, name, count, folder):
    """Positions and radii of a packing at rest."""
    path = os.path.join(folder, name + "-start.yaml")
    with open(path, "w") as out:
        out.write(WALLS[name] % SETTLING[name] + GRAINS % count)
    run = os.path.join(folder, name + "-start")
    subprocess.run([talus, "run", path, "--out", run, "--threads", "1", "--quiet"], check=True)
    return beads_of(run, -1)


# ---- Talus ------------------------------------------------------------------------------------


def scene_write(path, name, beads, seconds, every):
    with open(path, "w") as out:
        out.write("world: {overlap: ignore}\n" + WALLS[name] % FLOWING[name] + "bodies:\n")
        for x, y, z, r in beads:
            out.write(f"  - {{shape: sphere, radius: {r!r}, position: [{x!r}, {y!r}, {z!r}]}}\n")
        out.write(f"output: {{every: {every!r}, contacts: false}}\nrun: {{time: {seconds!r}}}\n")


def talus_run(talus, name, beads, keys, seconds, every, folder):
    path = os.path.join(folder, "own.yaml")
    scene_write(path, name, beads, seconds, every)
    words = [talus, "run", path, "--out", os.path.join(folder, "out"), "--threads", "1", "--quiet"]
    for key, value in keys.items():
        words += ["--set", f"{key}={value}"]
    before = user_seconds()
    done = subprocess.run(words, capture_output=True, text=True)
    cpu = user_seconds() - before
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    with open(os.path.join(folder, "out", "scalars.csv")) as table:
        rows = list(csv.reader(table))
    head = [cell.split(" ")[0] for cell in rows[0]]
    column = {key: [float(row[i]) for row in rows[1:]] for i, key in enumerate(head)}
    missed = re.search(r"(\d+) steps (?:went on above|missed)", done.stdout + done.stderr)
    half = len(column["iterations"]) // 2
    stress = [(x + y + z) / 3 for x, y, z in zip(column["stress_xx"], column["stress_yy"],
                                                 column["stress_zz"])][half:]
    frames = range(len(glob.glob(os.path.join(folder, "out", "grains-*.vtp"))))
    return {"cpu": cpu, "frames": [beads_of(os.path.join(folder, "out"), i) for i in frames],
            "passes": sum(column["iterations"][half:]) / len(column["iterations"][half:]),
            "stress": sum(stress) / len(stress), "missed": int(missed.group(1)) if missed else 0}


# ---- LIGGGHTS ---------------------------------------------------------------------------------


def facet(out, a, b, c):
    out.write("facet normal 0 0 0\nouter loop\n")
    for p in (a, b, c):
        out.write("vertex %.9g %.9g %.9g\n" % p)
    out.write("endloop\nendfacet\n")


def drum_point(radius, angle, y):
    return (radius * math.cos(angle), y, radius * math.sin(angle))


def drum_write(out):
    r, half, n = DRUM["radius"], DRUM["length"] / 2, DRUM["segments"]
    for i in range(n):
        a, b = 2 * math.pi * i / n, 2 * math.pi * (i + 1) / n
        p, q = drum_point(r, a, -half), drum_point(r, b, -half)
        s, t = drum_point(r, a, half), drum_point(r, b, half)
        facet(out, p, q, t)
        facet(out, p, t, s)
        facet(out, (0, -half, 0), p, q)
        facet(out, (0, half, 0), s, t)


def hopper_write(out):
    n, wide, narrow = HOPPER["segments"], HOPPER["radius"], HOPPER["opening"] / 2
    rings = [(narrow, 0.0), (wide, wide - narrow), (wide, wide - narrow + HOPPER["height"])]
    for (r, z), (s, y) in zip(rings, rings[1:]):
        for i in range(n):
            a, b = 2 * math.pi * i / n, 2 * math.pi * (i + 1) / n
            low = [(r * math.cos(w), r * math.sin(w), z) for w in (a, b)]
            high = [(s * math.cos(w), s * math.sin(w), y) for w in (a, b)]
            facet(out, low[0], low[1], high[1])
            facet(out, low[0], high[1], high[0])


def liggghts_write(name, beads, young, seconds, every, folder):
    """The files of a run; returns its number of steps."""
    shear, smallest = young / 2.5, min(b[3] for b in beads)
    rayleigh = math.pi * smallest * math.sqrt(DENSITY / shear) / (0.1631 * 0.25 + 0.8766)
    often = math.ceil(every / (0.2 * rayleigh))
    steps = often * round(seconds / every)
    box = (0.12, 0.06, -0.12, 0.12) if name == "drum" else (0.08, 0.08, -0.05, 0.6)
    with open(os.path.join(folder, "start.data"), "w") as out:
        out.write(f"beads\n\n{len(beads)} atoms\n1 atom types\n\n{-box[0]} {box[0]} xlo xhi\n"
                  f"{-box[1]} {box[1]} ylo yhi\n{box[2]} {box[3]} zlo zhi\n\nAtoms\n\n")
        for i, (x, y, z, r) in enumerate(beads):
            out.write(f"{i + 1} 1 {2 * r!r} {DENSITY} {x!r} {y!r} {z!r}\n")
    with open(os.path.join(folder, "walls.stl"), "w") as out:
        out.write("solid walls\n")
        (drum_write if name == "drum" else hopper_write)(out)
        out.write("endsolid walls\n")
    motion = ("fix turn all move/mesh mesh shell rotate origin 0. 0. 0. axis 0. 1. 0. period "
              f"{DRUM['turn']}" if name == "drum" else "")
    with open(os.path.join(folder, "in.txt"), "w") as out:
        out.write(INPUT.format(young=young, step=every / often, often=often, steps=steps, motion=motion,
                               friction=(DRUM if name == "drum" else HOPPER)["friction"]))
    return steps


def frame_read(path):
    with open(path) as text:
        rows = [line.split() for line in text][9:]
    return [tuple(float(x) for x in row[1:5]) for row in rows]


def liggghts_run(name, beads, young, seconds, every, folder):
    steps = liggghts_write(name, beads, young, seconds, every, folder)
    before = user_seconds()
    done = subprocess.run(["liggghts", "-in", "in.txt"], cwd=folder, capture_output=True, text=True)
    cpu = user_seconds() - before
    if done.returncode != 0:
        raise SystemExit(done.stdout[-2000:] + done.stderr)
    files = sorted(glob.glob(os.path.join(folder, "frame-*.txt")),
                   key=lambda path: int(re.findall(r"\d+", os.path.basename(path))[0]))
    return {"cpu": cpu, "frames": [frame_read(path) for path in files], "passes": None,
            "stress": None, "missed": None, "steps": steps}


# ---- what is measured, of both in the same way ------------------------------------------------


def overlaps(beads):
    """Of all pairs that touch, in mean radii."""
    edge = 2.2 * RADIUS
    cells = {}
    for bead in beads:
        cells.setdefault(tuple(int(c // edge) for c in bead[:3]), []).append(bead)
    near = [(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)]
    found = []
    for (a, b, c), here in cells.items():
        for i, j, k in near:
            for p in here:
                for q in cells.get((a + i, b + j, c + k), []):
                    if p < q:
                        depth = p[3] + q[3] - math.dist(p[:3], q[:3])
                        if depth > 0:
                            found.append(depth / RADIUS)
    return found


def lean(beads):
    mass = sum(r ** 3 for _, _, _, r in beads)
    x, z = (sum(b[3] ** 3 * b[c] for b in beads) / mass for c in (0, 2))
    return math.degrees(math.atan2(-x, -z))


def mean(values):
    return sum(values) / len(values)


def measure(name, run, seconds, every):
    frames = run.pop("frames")
    later = frames[len(frames) // 2:]
    row = dict(run, cpu=run["cpu"] / seconds)
    depths = [overlaps(beads) for beads in later[::3]]
    row["overlap"] = mean([mean(d) for d in depths if d])
    row["deepest"] = max(max(d) for d in depths if d)
    if name == "drum":
        angles = [lean(beads) for beads in later]
        blocks = [mean(angles[i * len(angles) // 4:(i + 1) * len(angles) // 4]) for i in range(4)]
        row["answer"] = mean(angles)
        row["error"] = math.sqrt(sum((b - mean(blocks)) ** 2 for b in blocks) / 12)
    else:
        left = [len(frames[0]) - len(beads) for beads in frames]
        first, last = len(left) // 4, len(left) - 1
        row["answer"] = (left[last] - left[first]) / ((last - first) * every)
        row["error"] = math.sqrt(left[last] - left[first]) / ((last - first) * every)
    return row


# ---- the table --------------------------------------------------------------------------------


def words_of(name, case, row):
    optional = lambda value, form: form % value if value is not None else "–"
    title = dict(TALUS, **LIGGGHTS)[case][0]
    return (f"| {title} | {row['cpu']:.1f} | {100 * row['overlap']:.3f} / {100 * row['deepest']:.2f} "
            f"| {row['answer']:.1f} ± {row['error']:.1f} | {optional(row['stress'], '%.0f')} "
            f"| {optional(row['passes'], '%.0f')} | {optional(row['missed'], '%d')} |")


def tables(results):
    lines = []
    for name, answer in (("drum", "angle, degrees"), ("hopper", "grains/s")):
        rows = [(key.split(":")[1], row) for key, row in results.items() if key.startswith(name)]
        if rows:
            lines += ["", f"## {name.capitalize()}", "",
                      f"| | CPU s per simulated second | overlap, mean / most, % of the radius | {answer} "
                      "| mean stress, Pa | iterations a step | steps above the tolerance |",
                      "|" + "---|" * 7]
            lines += [words_of(name, case, row) for case, row in rows]
    return "\n".join(lines) + "\n"


def processor():
    with open("/proc/cpuinfo") as text:
        found = re.search(r"model name\s*: (.*)", text.read())
    return found.group(1) if found else platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("talus", nargs="?", default=os.path.join(ROOT, "build", "bin", "talus"))
    parser.add_argument("--only", default="drum,hopper")
    parser.add_argument("--codes", default="talus,liggghts")
    parser.add_argument("--cases", default="", help="default: all")
    parser.add_argument("--time", type=float, default=1.5, help="simulated seconds")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--json", help="results are kept here")
    options = parser.parse_args()
    results, every = {}, 0.02
    if options.json and os.path.exists(options.json):
        with open(options.json) as text:
            results = json.load(text)
    talus = os.path.abspath(options.talus)
    cases = dict(TALUS if "talus" in options.codes else {},
                 **(LIGGGHTS if "liggghts" in options.codes else {}))
    if options.cases:
        cases = {case: cases[case] for case in options.cases.split(",")}
    folder = tempfile.mkdtemp(prefix="flow-")
    for name in options.only.split(","):
        beads = None
        for case, (_, setting) in cases.items():
            key = f"{name}:{case}"
            if key in results:
                continue
            beads = beads or settle(talus, name, options.count, folder)
            own = os.path.join(folder, key.replace(":", "-").replace(" ", "_"))
            os.mkdir(own)
            run = (talus_run(talus, name, beads, setting, options.time, every, own)
                   if case in TALUS else
                   liggghts_run(name, beads, setting, options.time, every, own))
            results[key] = measure(name, run, options.time, every)
            print(words_of(name, case, results[key]), file=sys.stderr, flush=True)
            shutil.rmtree(own)
            if options.json:
                with open(options.json, "w") as out:
                    json.dump(results, out, indent=1)
    shutil.rmtree(folder)
    print(f"{processor()}; commit " +
          subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True,
                         text=True).stdout.strip())
    print(tables(results))


if __name__ == "__main__":
    main()
