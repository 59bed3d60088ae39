#!/usr/bin/env python3
"""dense.py: second-order methods with factors on the host and on a device, side by side.

usage: bench/dense.py TALUS FOLDER [EMULATOR]

TALUS is the program, FOLDER holds problem files, EMULATOR runs a CUDA program where there is no
device. Prints a table in Markdown: outcomes, factorisations, and what the log tells of the device.
"""
import json
import pathlib
import re
import subprocess
import sys

PLANS = [("interior_point", "ccp"), ("newton", "coulomb")]
TOLD = re.compile(r"order (\d+): (\d+) factorisations of (\S+) operations, (\d+) solves, (\d+) "
                  r"products with W; (\d+) kernels, (\d+) calls .*; (\d+) B to the device, (\d+) B")


def solve(command, file, method, law, backend):
    run = subprocess.run(command + ["solve", str(file), "--method", method, "--law", law, "--tol",
                                    "1e-8", "--max-seconds", "100", "--threads", "1", "--backend",
                                    backend, "--json", "--verbose"],
                         capture_output=True, text=True, check=False)
    report = json.loads(run.stdout) if run.returncode in (0, 3) else {"outcome": "failed"}
    told = TOLD.findall(run.stderr)
    return report, [float(x) for x in told[-1]] if told else None


def row(name, here, there, told):
    cells = [name, f"{here['outcome']} {here.get('factorisations')}",
             f"{there['outcome']} {there.get('factorisations')}"]
    if told is None or told[1] == 0:
        return cells + ["", "", "", ""]
    order, count, operations, _, _, _, calls, sent, back = told
    return cells + [f"{order:.0f}", f"{operations / count / 1e6:.1f}",
                    f"{calls / count:.1f}",
                    f"{sent / count / 1e3:.0f} + {back / count / 1e3:.0f}"]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, folder, emulator = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    for method, law in PLANS:
        print(f"\n### `{method}`, {law}, ε = 1e-8\n")
        print("| problem | CPU | device | order | Mflop | library calls | kB to and from |")
        print("|---|---|---|---|---|---|---|")
        for file in sorted(folder.glob("*.hdf5")):
            here, _ = solve([program], file, method, law, "cpu")
            there, told = solve(emulator + [program], file, method, law, "cuda")
            print("| " + " | ".join(row(file.stem, here, there, told)) + " |", flush=True)


if __name__ == "__main__":
    main()
