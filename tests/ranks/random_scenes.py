"""Random scenes on several ranks against the same without ranks, byte for byte.

    python3 random_scenes.py PROGRAM FIRST END [STEPS [EVERY]]

PROGRAM is test_ranks_world, which runs each scene alone and on 2, 3 and 5 ranks that are threads;
scenes have the numbers FIRST to END - 1. EVERY: bricks are dealt out anew, unevenly, every so many
steps. A scene whose step is refused has to be refused on ranks, too, in the same words. Exits with
1 and the scene where they differ.
"""
import os
import random
import subprocess
import sys
import tempfile

GRAINS = {
    "ball": "radius: 3 mm, sizes: {kind: uniform, low: %(low)g, high: 1}",
    "box": "shape: box, size: [5 mm, 6 mm, 7 mm]",
    "capsule": "shape: capsule, radius: 2.5 mm, length: 4 mm",
    "clump": "shape: clump, parts: [{radius: 2.5 mm, position: [-2 mm, 0, 0]}, "
             "{radius: 2.5 mm, position: [2 mm, 0, 0]}]"}
WALLS = {  # and where the lowest grain is, in m
    "box": ("  - {kind: box, size: [10 cm, 10 cm, 20 cm]}", 0.01),
    "silo": ("  - {kind: silo, radius: 5 cm, height: 20 cm}", 0.01),
    "shaken": ("  - {kind: box, size: [10 cm, 10 cm, 20 cm], type: kinematic, motions: "
               "[{kind: sinusoid, amplitude: [0, 0, 5 mm], frequency: %(rate)g Hz}]}", 0.01),
    "funnel": ("  - {kind: plane, position: [0, 0, -6 cm]}\n"
               "  - {kind: hopper, radius: 5 cm, height: 6 cm, opening: 2.5 cm, angle: 55 deg}", 0.035),
    "wedge": ("  - {kind: plane, position: [0, 0, -6 cm]}\n"
              "  - {kind: wedge, size: [10 cm, 10 cm, 6 cm], opening: 2 cm, angle: 45 deg}", 0.035),
    "drum": ("  - {kind: drum, radius: 6 cm, length: 10 cm, type: kinematic, motions: "
             "[{kind: spin, spin: [0, %(rate)g, 0]}]}", None)}


def world(r):
    keys = {"step": r.choice(["1 ms", "2 ms", "0.5 ms"]),
            "brick_size": r.choice(["2.4 cm", "3 cm", "4 cm", "6 cm"]), "seed": r.randrange(1000)}
    for chance, key, value in ((0.25, "restitution", "poisson"), (0.2, "integrator", "midpoint"),
                               (0.2, "stabilisation", "none"), (0.15, "substeps", 2),
                               (0.2, "law", "ccp")):
        if r.random() < chance:
            keys[key] = value
    return keys


def material(r):
    keys = {"density": "2500 kg/m3", "friction": r.choice([0, 0.2, 0.5, 0.8]),
            "restitution": r.choice([0, 0, 0.3, 0.7])}
    if r.random() < 0.25:
        keys["stiffness"] = r.choice(["10 kN/m", "100 kN/m"])
    if r.random() < 0.2:
        keys["pull_off"] = "2 mN"
    if r.random() < 0.2:
        keys["rolling_fraction"] = 0.05
    return keys


def flow(keys):
    return "{" + ", ".join(f"{key}: {value}" for key, value in keys.items()) + "}"


def grains(r, kind, lowest):
    if lowest is None:
        region = "{lower: [-3.5 cm, -4 cm, -3.5 cm], upper: [3.5 cm, 4 cm, 3.5 cm]}"
    else:
        region = "{lower: [-3 cm, -3 cm, %g], upper: [3 cm, 3 cm, 0.28]}" % lowest
    count = 250 if kind == "drum" else r.choice([300, 500, 700])
    shape = r.choice(["ball", "ball", "box", "capsule", "clump", "mixed"])
    parts = [("ball", 2), ("box", 4), ("clump", 4)] if shape == "mixed" else [(shape, 1)]
    velocity = r.choice(["", "velocity: [0, 0, -2], ", "velocity: [1, 0.5, -1], "])
    low = r.choice([0.5, 0.9])
    return ["  - {kind: random, count: %d, %s%s, region: %s}" %
            (count // share, velocity, GRAINS[name].replace("%(low)g", str(low)), region)
            for name, share in parts]


def scene(number):
    r = random.Random(number)
    keys = material(r)
    lines = ["world: " + flow(world(r)),
             "materials: {bead: %s, lead: %s}" % (flow(keys), flow(dict(keys, density="60000 kg/m3"))),
             "walls:"]
    kind = r.choice(sorted(WALLS))
    wall, lowest = WALLS[kind]
    lines.append(wall.replace("%(rate)g", str(r.choice([2, 8] if kind == "drum" else [10, 30]))))
    if r.random() < 0.3 and kind in ("box", "silo", "shaken"):
        lines.append("  - {kind: plane, position: [0, 0, 40 cm], normal: [0, 0, -1], type: kinematic, "
                     "motions: [{kind: velocity, velocity: [0, 0, -4], end: 70 ms}]}")
    lines += ["grains:"] + grains(r, kind, lowest)
    if r.random() < 0.4:
        lines += ["bodies:", "  - {name: heavy, material: lead, radius: 9 mm, position: [1 cm, 0, 33 cm], "
                  "velocity: [0, 0, %d]}" % r.choice([-3, -10])]
        if r.random() < 0.5:
            lines += ["forces:", "  - {body: heavy, force: [1 N, 0, 0], begin: 20 ms, end: 60 ms}"]
    if r.random() < 0.4:
        lines += ["outlets:", "  - {name: o, region: {lower: [-inf, -inf, -inf], upper: [inf, inf, %g]}, "
                  "begin: %d ms}" % (r.choice([-0.04, 0.01]), r.choice([0, 50]))]
    if r.random() < 0.4 and kind != "drum":
        lines += ["inlets:", "  - {name: i, radius: 3 mm, rate: 500, velocity: [0, 0, -1], "
                  "region: {lower: [-3 cm, -3 cm, 29 cm], upper: [3 cm, 3 cm, 31 cm]}}"]
    return "\n".join(lines + ["output: {frames: false, every: 1 s}", "run: {steps: 1000}", ""])


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, first, end = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    steps, every = (sys.argv[4:] + ["90", "1000"][len(sys.argv[4:]):])[:2]
    for number in range(first, end):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "random.yaml"), "w", encoding="ascii") as file:
                file.write(scene(number))
            done = subprocess.run([program, "./random", steps, every, "2", "3", "5"], cwd=folder,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        said = done.stdout.splitlines()
        print(f"scene {number}: {'; '.join(said[1:-1][:2])}; {said[-1] if said else ''}", flush=True)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}\n{scene(number)}")


if __name__ == "__main__":
    main()
