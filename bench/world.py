#!/usr/bin/env python3
"""What a step of a world costs: runs `talus bench world` over sizes, depths, laws and steps, and
writes docs/measured/world.md with its two plots.

    python3 bench/world.py [build/bin/talus] [--largest 1e6] [--keep FILE.json]

By hand, on an idle machine; about twenty minutes up to a million grains. What is in the file given by
--keep is not measured again.
"""
import argparse
import csv
import json
import os
import platform
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIZES = [1e3, 2e3, 4e3, 8e3, 16e3, 32e3, 125e3, 1e6]
DEPTHS = [5, 10, 20, 40, 80]
# law, step, other options: a simulated second at rest
SECONDS = [
    ("ccp", 1e-3, []), ("ccp", 2e-3, []), ("ccp", 5e-3, []), ("ccp", 10e-3, []),
    ("ccp", 10e-3, ["--tol", "0.1"]), ("ccp", 0.5e-3, ["--max-iterations", "5", "--accept", "1"]),
    ("coulomb", 1e-3, []), ("coulomb", 2e-3, []), ("coulomb", 5e-3, []),
    ("coulomb", 10e-3, []), ("coulomb", 1e-3, ["--tol", "0.01", "--max-iterations", "2000"]),
]


KEPT = {"path": None, "beds": {}}


def bench(talus, *options):
    words = ["bench", "world", "--json"] + [str(o) for o in options]
    name = " ".join(words)
    if name not in KEPT["beds"]:
        print("world.py:", name, file=sys.stderr)
        out = subprocess.run([talus] + words, check=True, stdout=subprocess.PIPE).stdout
        KEPT["beds"][name] = json.loads(out)["beds"]
        if KEPT["path"]:
            with open(KEPT["path"], "w") as keep:
                json.dump(KEPT["beds"], keep, indent=1)
    return KEPT["beds"][name]


def commit():
    """The state of the sources, or `unknown` where there is no git."""
    result = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return result.stdout.decode().strip() or "unknown"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def row_of(bed):
    ms = lambda key: f"{1e3 * bed[key]:.2f}"
    share = 100 * (bed["collide"] + bed["build"]) / bed["seconds_per_step"]
    return [f"{bed['grains']}", f"{bed['contacts']}", ms("seconds_per_step"), ms("collide"),
            ms("build"), ms("solve"), ms("project"), f"{share:.0f} %", f"{bed['passes']:.0f}",
            f"{1e6 * bed['seconds_per_step'] / bed['grains']:.2f}", f"{bed['megabytes']:.0f}"]


HEAD = ["grains", "contacts", "ms a step", "collide", "build", "solve", "project",
        "collide + build", "passes", "µs per grain", "MB"]


def plot(talus, name, title, x, columns, rows):
    path = os.path.join(ROOT, "docs", "measured", name)
    table_path = path + ".csv"
    with open(table_path, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([x] + columns)
        writer.writerows(rows)
    subprocess.run([talus, "plot", table_path, "--x", x, "--columns", ",".join(columns), "--log-x",
                    "--log-y", "--style", "both", "--title", title, "--out", path], check=True,
                   stdout=subprocess.DEVNULL)
    os.remove(table_path)


def growth(talus, largest):
    rows, beds = [], []
    for size in [s for s in SIZES if s <= largest]:
        settle, steps = (0.2, 50) if size < 1e5 else (0.02, 20)
        bed = bench(talus, "--grains", int(size), "--layers", 10, "--law", "ccp", "--settle",
                    settle, "--steps", steps)[0]
        beds.append(bed)
        rows.append(row_of(bed))
    first = beds[0]["seconds_per_step"] / beds[0]["grains"]
    plot(talus, "world_growth.png", "a step of a bed of 10 layers", "grains", ["ms", "linear"],
         [[b["grains"], 1e3 * b["seconds_per_step"], 1e3 * first * b["grains"]] for b in beds])
    return table(HEAD, rows)


def depth(talus):
    rows, beds = [], []
    for layers in DEPTHS:
        same = ["--grains", 8000, "--layers", layers, "--law", "ccp"]
        bed = bench(talus, *same, "--settle", 0.2)[0]
        cold = bench(talus, *same, "--settle", 0, "--steps", 1, "--max-iterations", 2000)[0]
        beds.append((layers, bed, cold))
        rows.append([f"{layers}", f"{bed['contacts']}", f"{1e3 * bed['seconds_per_step']:.1f}",
                     f"{bed['passes']:.0f}", f"{1e3 * cold['seconds_per_step']:.1f}",
                     f"{cold['passes']:.0f}"])
    plot(talus, "world_depth.png", "a step of 8000 spheres", "layers", ["ms_warm", "ms_cold"],
         [[layers, 1e3 * b["seconds_per_step"], 1e3 * c["seconds_per_step"]]
          for layers, b, c in beds])
    return table(["layers", "contacts", "ms a step, at rest", "passes", "ms, first step",
                  "passes of the first step"], rows)


def seconds(talus):
    rows = []
    for law, step, options in SECONDS:
        bed = bench(talus, "--grains", 8000, "--layers", 20, "--law", law, "--step", step,
                    "--settle", 0.5, *options)[0]
        rows.append([law, f"{1e3 * step:g}", " ".join(options) or "defaults",
                     f"{1e3 * bed['seconds_per_step']:.1f}", f"{bed['passes']:.0f}",
                     f"{bed['epsilon']:.2g}", f"{100 * bed['overlap_mean']:.2g}",
                     f"{100 * bed['overlap_max']:.2g}",
                     f"{bed['seconds_per_simulated_second']:.1f}"])
    return table(["law", "step, ms", "settings", "ms a step", "passes", "worst ε",
                  "mean overlap, %", "largest, %", "seconds per simulated second"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("talus", nargs="?", default=os.path.join(ROOT, "build/bin/talus"))
    parser.add_argument("--largest", type=float, default=1e6, help="grains of the largest bed")
    parser.add_argument("--keep", help="file for what was measured")
    options = parser.parse_args()
    KEPT["path"] = options.keep
    if options.keep and os.path.exists(options.keep):
        with open(options.keep) as keep:
            KEPT["beds"] = json.load(keep)
    model = platform.processor() or platform.machine()
    with open("/proc/cpuinfo") as info:
        names = [line.split(":", 1)[1].strip() for line in info if line.startswith("model name")]
        model = names[0] if names else model
    parts = {"growth": growth(options.talus, options.largest), "depth": depth(options.talus),
             "seconds": seconds(options.talus), "model": model, "commit": commit()}
    with open(os.path.join(ROOT, "bench", "world.md.in")) as template:
        text = template.read()
    for key, value in parts.items():
        text = text.replace("@" + key + "@", value)
    with open(os.path.join(ROOT, "docs", "measured", "world.md"), "w") as out:
        out.write(text)
    print("world.py: docs/measured/world.md", file=sys.stderr)


main()
