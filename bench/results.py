#!/usr/bin/env python3
"""The cases of five papers, theirs beside ours: runs the samples and writes
docs/measured/results.md with its plots.

    python3 bench/results.py [build/bin] [--keep FOLDER]

By hand, on an idle machine; some minutes of one core. What is in the folder given by --keep is not
run again.
"""
import argparse
import csv
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import textwrap

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FIVE = ["lemke", "pfb_rlm", "pfb_plm", "mncp_rlm", "mncp_plm"]
THEIRS = {"lemke": "MLCP-PATH", "pfb_rlm": "MLCP-PFB-RLM", "pfb_plm": "MLCP-PFB-PLM",
          "mncp_rlm": "MNCP-RLM", "mncp_plm": "MNCP-PLM"}
# Anitescu and Hart, table 1: friction, seconds of LCP0, of LCP3, error of LCP3
DISKS = [("0.1", "29.76", "34.42", "0.06"), ("0.2", "no end", "36.28", "0.12"),
         ("0.4", "no end", "24.03", "0.07"), ("0.6", "no end", "20.40", "1e-8"),
         ("0.8", "no end", "14.52", "8e-11")]


def commit():
    """The state of the sources, or `unknown` where there is no git."""
    result = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"],
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return result.stdout.decode().strip() or "unknown"


def run(programs, keep, sample):
    """Figures and table of a sample in its full form."""
    out = os.path.join(keep, sample + ".json")
    if not os.path.exists(out):
        print("results.py:", sample, file=sys.stderr)
        done = subprocess.run(
            [os.path.join(programs, sample), "--full", "--json", out + ".part", "--table",
             os.path.join(keep, sample + ".csv")], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.stderr.write(done.stdout)
            print(f"results.py: {sample} is not as it expects", file=sys.stderr)
        with open(os.path.join(keep, sample + ".txt"), "w") as text:
            text.write(done.stdout)
        os.rename(out + ".part", out)
    with open(out) as file:
        return json.load(file)


def rows_of(keep, sample):
    with open(os.path.join(keep, sample + ".csv"), newline="") as file:
        return list(csv.DictReader(file))


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def number(value, form=".2g"):
    if value is None:
        return "–"
    text = format(value, form)
    match = re.fullmatch(r"(.*)e([+-])0*(\d+)", text)
    if match and match[2] == "+" and int(match[3]) < 6:
        return f"{float(text):.0f}"
    return f"{match[1]}e{'-' if match[2] == '-' else ''}{match[3]}" if match else text


def plot(programs, name, title, columns, rows, *options):
    """One plot of docs; columns: the first is x."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", delete=False) as out:
        writer = csv.writer(out)
        writer.writerow(columns)
        writer.writerows(rows)
    subprocess.run([os.path.join(programs, "talus"), "plot", out.name, "--x", columns[0],
                    "--columns", ",".join(columns[1:]), "--title", title, "--out",
                    os.path.join(ROOT, "docs", "measured", f"results_{name}.png"), "--height", "500",
                    *options], check=True, stdout=subprocess.DEVNULL)
    os.remove(out.name)


# ---- tables -------------------------------------------------------------------------------------------

def sphere(case):
    rows = []
    for name in FIVE:
        faceted = f"{name}.45.rolling" in case
        rows.append([THEIRS[name], f"`{name}`", "0.291", number(case[f"{name}.0.rolling"], ".3f"),
                     "1.429", number(case[f"{name}.0.spin"], ".3f"), "≈ 0.4" if faceted else "–",
                     number(case[f"{name}.45.rolling"], ".3f") if faceted else "–"])
    return table(["solver", "ours", "rolls from, s: closed form", "ours", "spin, rad/s: closed form", "ours",
                  "edges at 45°, rolls from, s: theirs", "ours"], rows)


def pendulum(case):
    rows = []
    for name in FIVE:
        of = lambda key, law="poisson": case.get(f"{law}.{name}.{key}")
        rows.append([THEIRS[name], f"`{name}`", number(of("theirs"), ".2f"),
                     number(of("seconds"), ".2f"), number(of("apart"), ".1g"),
                     number(of("parted"), ".2f"), f"{of('missed'):.0f} of {of('solves'):.0f}",
                     number(of("seconds", "newton"), ".2f"), number(of("parted", "newton"), ".2f"),
                     f"{of('missed', 'newton'):.0f} of {of('solves', 'newton'):.0f}"])
    return table(["solver", "ours", "theirs, s", "ours, s", "rates apart, rad/s", "parts at, s",
                  "missed 1e-10", "Newton's: s", "parts at, s", "missed 1e-10"], rows)


def newton(case):
    """What became of Newton's restitution."""
    of = lambda name, key: case[f"newton.{name}.{key}"]
    apart = max(of(name, "apart") for name in FIVE)
    lessened = max(of(name, "lessened") for name in FIVE)
    slow = max(of(name, "seconds") for name in FIVE)
    return (
        "Newton's restitution together with friction creates energy: at the first impact it would, and "
        "without bound where a link jams between hinge and floor (runs without a remedy reached 1e5 J). So a "
        "step whose impulses would add energy is taken again with half the coefficient, and so on: at most "
        f"{lessened:.0f} of the 20000 steps of a run. Then no step gains more than "
        f"{number(case['newton.gained'], '.2g')} J, which is Euler's error (Poisson's, as it is: "
        f"{number(case['poisson.gained'], '.2g')} J at most, at an impact). Along `lemke`'s trajectory, "
        f"{case['newton.solves']:.0f} problems, the five differ by at most {number(apart, '.1g')} rad/s; the "
        f"slowest run takes {slow:.2f} s.")


def coordinates(rows):
    out = []
    for row in rows:
        cells = [number(1e6 * float(row[key]), ".0f") for key in
                 ("minimal_setup", "minimal_solve", "redundant_setup", "redundant_solve")]
        out.append([row["links"], f"`{row['method']}`", "6", cells[0], cells[1],
                    str(6 + 5 * int(row["links"])), cells[2], cells[3]])
    return table(["links", "method", "minimal: unknowns", "set-up, µs", "solve, µs",
                  "redundant: unknowns", "set-up, µs", "solve, µs"], out)


def lift_off(case):
    rows = []
    for i in range(7):
        of = lambda key: case[f"{i}.{key}"]
        rows.append([number(of("friction"), "g"), number(1e3 * of("step"), "g"),
                     number(of("speed"), "g"), number(1e3 * of("highest"), ".3g"),
                     number(of("ratio"), ".4f"), number(1e3 * of("exact"), ".1g"),
                     number(1e3 * of("jump"), ".3g"),
                     f"{of('first'):.0f} / {of('first_exact'):.0f}"])
    return table(["μ", "step, ms", "speed, m/s", "gap at first, mm", "gap over μ dt v_t",
                  "exact law: gap, mm", "set on the floor: jump, mm",
                  "first force over weight, convex / exact"], rows)


def stacks(case):
    rows = []
    for disks in (21, 136):
        for name, theirs in (("lemke", "LCP0"), ("lcp1", "LCP1"), ("lcp2", "LCP2"),
                             ("lcp3", "LCP3"), ("newton", "")):
            of = lambda key: case[f"{disks}.{name}.{key}"]
            said = "–" if theirs == "" else "approximates" if name == "lcp3" else \
                "solves" if disks == 21 else "fails"
            rows.append([str(disks), theirs, f"`{name}`", said,
                         f"{of('solved'):.0f} of {of('steps'):.0f}", number(of("epsilon"), ".1g"),
                         number(of("error"), ".1g"), number(1e3 * of("mean"), ".3g"),
                         number(1e3 * of("slowest"), ".3g")])
    return table(["disks", "method", "ours", "theirs", "steps to 1e-9", "worst ε",
                  "gap missed by, m/s", "ms a step", "at most"], rows)


def first_steps(case):
    rows = []
    for mu, lemke, lcp3, error in DISKS:
        of = lambda name, key: case[f"table.{mu}.{name}.{key}"]
        end = lambda name: number(of(name, "seconds"), ".2g") + (
            "" if of(name, "solved") else f", ε {number(of(name, 'epsilon'), '.1g')}")
        rows.append([mu, lemke, end("lemke"), lcp3, number(of("lcp3", "seconds"), ".2g"), error,
                     number(of("lcp3", "error"), ".1g"), end("newton")])
    return table(["μ", "LCP0, theirs, s", "`lemke`", "LCP3, theirs, s", "`lcp3`", "error, theirs",
                  "`lcp3`", "`newton`"], rows)


def chains(case):
    rows = []
    n = 1
    while f"0.0.{n}" in case:
        rows.append([str(n)] + [number(1e6 * case[f"{d}.{c}.{n}"], ".3g")
                                for c in range(3) for d in range(3)])
        n *= 2
    return table(["rods"] + [f"{c} contacts: {d}" for c in range(3)
                             for d in ("O(n³)", "articulated", "conquer")], rows)


def grasp(case):
    of = lambda name, key: case[f"{name}.{key}"]
    share = lambda name, key: " and ".join(
        f"{100 * of(name, key + str(k)) / of(name, 'successes'):.0f} %" for k in (1, 2))
    ms = lambda name: " / ".join(number(of(name, key), ".1g")
                                 for key in ("shortest", "seconds", "longest"))
    both = case["both"]
    agree = " and ".join(f"{100 * case[f'agree{k}'] / both:.0f} %" for k in (1, 2))
    rows = [
        ["sliding LCP by LCPOpt: successes of 200", "200", f"{case['sliding.successes']:.0f}"],
        ["rolling MNCP by MNCPOpt", "183", f"{of('MNCPOpt', 'successes'):.0f}"],
        ["rolling LCP by LCPOpt", "194", f"{of('LCPOpt', 'successes'):.0f}"],
        ["exact law by `mncp_plm`, to 1e-9", "–", f"{of('mncp_plm', 'solved'):.0f}"],
        ["box by `lemke`, to 1e-9", "–", f"{of('lemke', 'solved'):.0f}"],
        ["MNCPOpt: force and acceleration colinear, contacts 1 and 2", "67 % and 70 %",
         share("MNCPOpt", "colinear")],
        ["… open, so that there is no force", "not said", share("MNCPOpt", "open")],
        ["… tests with one that is not colinear; singular g_v among them", "79; 78",
         f"{of('MNCPOpt', 'strayed'):.0f}; {of('MNCPOpt', 'singular'):.0f}"],
        ["LCPOpt: colinear", "50 % and 79 %", share("LCPOpt", "colinear")],
        ["… colinear or open", "–", " and ".join(
            f"{100 * (of('LCPOpt', f'colinear{k}') + of('LCPOpt', f'open{k}')) / of('LCPOpt', 'successes'):.0f} %"
            for k in (1, 2))],
        ["same transition by both", "98 % and 96 %", agree],
        ["forces of the box outside the circular cone", "53 % and 27 %", share("LCPOpt", "outside")],
        ["MNCPOpt: seconds, least / mean / most", "0 / 0.200 / 8.740", ms("MNCPOpt")],
        ["LCPOpt", "0 / 0.030 / 0.170", ms("LCPOpt")],
        ["MNCPOpt: outer iterations; products", "57.3; 1150.8",
         f"{of('MNCPOpt', 'iterations'):.1f}; {of('MNCPOpt', 'products'):.1f}"],
        ["LCPOpt", "7.5; 126.3",
         f"{of('LCPOpt', 'iterations'):.1f}; {of('LCPOpt', 'products'):.1f}"],
    ]
    return table(["", "theirs", "ours"], rows)


# ---- plots --------------------------------------------------------------------------------------------

def plots(programs, keep, case):
    swing = rows_of(keep, "pendulum")
    plot(programs, "pendulum", "height of the last ball, m (Poisson's restitution)",
         ["time"] + FIVE, [[row["time"]] + [row[name] for name in FIVE] for row in swing])
    lift = rows_of(keep, "lift_off")
    plot(programs, "lift_off", "gap under a sliding ball, mm", list(lift[0]),
         [list(row.values()) for row in lift])
    stack = [row for row in rows_of(keep, "disks") if row["disks"] == "21"]
    methods = ["lemke", "lcp1", "lcp2", "lcp3", "newton"]
    times = sorted({float(row["time"]) for row in stack})
    cell = {(row["method"], float(row["time"])): row for row in stack}
    for key, scale, title in (("contacts", 1, "contacts of 21 disks"),
                              ("seconds", 1e3, "ms per step of 21 disks")):
        plot(programs, "disks_" + key, title, ["time"] + methods,
             [[t] + [scale * float(cell[m, t][key]) for m in methods] for t in times],
             *(["--log-y"] if key == "seconds" else []))
    line = [row for row in rows_of(keep, "coordinates") if row["method"] == "newton"]
    names = ["minimal_setup", "minimal_solve", "redundant_setup", "redundant_solve"]
    plot(programs, "coordinates", "one step of a chain with 2 contacts, s", ["links"] + names,
         [[row["links"]] + [row[name] for name in names] for row in line], "--log-x", "--log-y",
         "--style", "both")
    chain = case["chain"]
    sizes = [n for n in (2 ** k for k in range(12)) if f"0.2.{n}" in chain]
    plot(programs, "chain", "one evaluation of a chain with 2 contacts, s",
         ["rods", "composite", "articulated", "conquer"],
         [[n] + [chain[f"{d}.2.{n}"] for d in range(3)] for n in sizes], "--log-x", "--log-y",
         "--style", "both")


def wrap(text):
    """Paragraphs and lists filled anew, since figures have lengths of their own."""
    blocks = []
    for block in text.split("\n\n"):
        if re.match(r"\d+\. ", block):
            items = re.split(r"\n(?=\d+\. )", block)
            blocks.append("\n".join(textwrap.fill(" ".join(item.split()), 104,
                                                  subsequent_indent="   ",
                                                  break_on_hyphens=False) for item in items))
        elif re.match(r"[|#!]", block) or "\n|" in block:
            blocks.append(block)
        else:
            blocks.append(textwrap.fill(" ".join(block.split()), 104, break_on_hyphens=False))
    return "\n\n".join(blocks) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?", default=os.path.join(ROOT, "build/bin"))
    parser.add_argument("--keep", help="folder for what the samples gave")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        keep = options.keep or temporary
        os.makedirs(keep, exist_ok=True)
        case = {name: run(options.programs, keep, name) for name in
                ("sliding_sphere", "pendulum", "coordinates", "lift_off", "disks", "chain",
                 "grasp")}
        plots(options.programs, keep, case)
        model = platform.machine()
        with open("/proc/cpuinfo") as info:
            for line in info:
                if line.startswith("model name"):
                    model = line.split(":", 1)[1].strip()
                    break
        parts = {"sphere": sphere(case["sliding_sphere"]), "pendulum": pendulum(case["pendulum"]),
                 "newton": newton(case["pendulum"]),
                 "coordinates": coordinates(rows_of(keep, "coordinates")),
                 "lift_off": lift_off(case["lift_off"]), "stacks": stacks(case["disks"]),
                 "first_steps": first_steps(case["disks"]), "chains": chains(case["chain"]),
                 "grasp": grasp(case["grasp"]), "model": model, "commit": commit(),
                 "threads": f"{case['chain']['threads']:.2f} times" if case["chain"]["threads"] > 1
                 else "not measured, the machine was busy; 1.9 times on a quieter one"}
    with open(os.path.join(ROOT, "bench", "results.md.in")) as template:
        text = template.read()
    for key, value in parts.items():
        text = text.replace("@" + key + "@", value)
    # @sample key form@: one figure, of several keys with commas between the largest
    text = re.sub(r"@(\w+) (\S+) (\S+)@",
                  lambda m: number(max((case[m[1]][key] for key in m[2].split(",")
                                        if case[m[1]][key] is not None), default=None), m[3]), text)
    with open(os.path.join(ROOT, "docs", "measured", "results.md"), "w") as out:
        out.write(wrap(text.rstrip()))
    print("results.py: docs/measured/results.md", file=sys.stderr)


main()
