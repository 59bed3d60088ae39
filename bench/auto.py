#!/usr/bin/env python3
"""How near `auto` comes to the best method that has a name: runs `talus profile` on problem files, for both laws and
some tolerances, and prints a table with what `auto` takes over what the fastest named method takes.

    python3 bench/auto.py PATH... [--talus build/bin/talus] [--tol 1e-2,1e-4] [--law ccp] [--most 1.3]

A PATH is a problem file, or a folder of them. One thread, CPU time, the best of some solves; by hand, on an idle
machine. The exit code is 1 if some ratio is above --most.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def profile(o, law, tolerance):
    with tempfile.TemporaryDirectory() as folder:
        words = [o.talus, "profile", "--json", "--law", law, "--tol", tolerance, "--methods", o.methods,
                 "--max-seconds", o.max_seconds, "--repeat", o.repeat, "--out", os.path.join(folder, "p.png")]
        environment = dict(os.environ, OMP_NUM_THREADS="1")  # of the libraries behind
        done = subprocess.run(words + o.paths, stdout=subprocess.PIPE, env=environment)
    if done.returncode != 0:
        sys.exit(done.returncode)
    return json.loads(done.stdout)["problems"]


def rows_of(problem):
    """auto's run, and the fastest of the others that converged (None: no other did)."""
    auto = next(run for run in problem["runs"] if run["method"] == "auto")
    named = [run for run in problem["runs"] if run["method"] != "auto" and run["outcome"] == "converged"]
    return auto, min(named, key=lambda run: run["seconds"], default=None)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("paths", nargs="+", metavar="PATH")
    words.add_argument("--talus", default=os.path.join(ROOT, "build/bin/talus"))
    words.add_argument("--law", default="ccp,coulomb")
    words.add_argument("--tol", default="1e-2,1e-4,1e-6,1e-8")
    words.add_argument("--methods", default="auto,all")
    words.add_argument("--max-seconds", default="2", help="of each solve")
    words.add_argument("--repeat", default="40", help="short solves are timed so often")
    words.add_argument("--most", type=float, default=1.3, help="ratio that counts as too much")
    o = words.parse_args()
    print(f"{'problem':<32} {'contacts':>8} {'law':<8}{'tol':>6} {'auto, ms':>10}  {'best named':<22}{'ms':>10} {'ratio':>6}")
    ratios, failed = [], 0
    for law in o.law.split(","):
        for tolerance in o.tol.split(","):
            for problem in profile(o, law, tolerance):
                auto, best = rows_of(problem)
                solved = auto["outcome"] == "converged"
                head = f"{os.path.basename(problem['file'])[:32]:<32} {problem['contacts']:>8} {law:<8}{tolerance:>6}"
                own = f"{1e3 * auto['seconds']:>10.3f}" if solved else f"{auto['outcome'][:10]:>10}"
                if best is None:
                    print(f"{head} {own}  none in that time", flush=True)
                    continue
                ratio = auto["seconds"] / best["seconds"] if solved else float("inf")
                ratios.append(ratio)
                failed += not solved
                print(f"{head} {own}  {best['method']:<22}{1e3 * best['seconds']:>10.3f} {ratio:>6.2f}", flush=True)
    above = sum(ratio > o.most for ratio in ratios)
    print(f"{len(ratios)} cases: {above} above {o.most}, of which auto did not converge in {failed}")
    return above > 0


if __name__ == "__main__":
    sys.exit(main())
