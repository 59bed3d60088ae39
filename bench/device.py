"""A model of a step of a world on a GPU, from bytes and kernels counted by an emulator of CUDA.

    python3 bench/device.py path/of/ptxrun path/of/talus

Settles a bed of 1000 spheres (SETTLE s) on the CPU and goes on from there under the emulator with `talus run --resume
--backend cuda`, 3 steps and 7 (only the later ones are queued as a whole); the difference is that of four steps at rest,
of which it says how many iterations they took. Bytes are those that threads ask for (loads, stores, atomics), caches are
not modelled. The solve is counted per pass, the certificate by itself, everything else per step, all per contact.
Prints tables for docs/measured/device.md.
"""
import csv
import os
import re
import subprocess
import sys
import tempfile

FEW, MANY, SETTLE = 3, 7, 3
LOOK = 5  # iterations after which a residual is asked for, host/solve/run.c; another one at first
SCENE = """world: {step: 1 ms}
materials:
  bead: {friction: 0.5}
walls:
  - {kind: box, name: box, size: [80 cm, 80 cm, 4 m]}
grains:
  - {kind: random, radius: 5 cm, count: 1000, region: {lower: [-40 cm, -40 cm, 0], upper: [40 cm, 40 cm, 4 m]}}
"""
PHASES = {  # source of the kernel: phase
    "world_touch": "collide", "world_pairs": "search of pairs", "assembly": "build",
    "assembly_order": "build", "assembly_colour": "build", "assembly_compliance": "build",
    "upload": "build", "copy_array": "build", "caller": "solve", "engine": "solve", "response": "solve",
    "queue": "solve", "sweep": "solve", "residual": "solve", "gradient": "solve", "judge": "certificate",
    "ahead": "certificate", "world_advance": "advance"}
DEVICES = {"RTX 4090": 1.01e12, "A100": 1.94e12, "H100": 3.35e12}  # bytes/s by data sheet
KERNEL = 4e-6  # s: half a pair of dependent kernels
KERNELS = 43 + 10  # of a step with iterations, copies and fills included: tests/emu/test_world_counts.cu
CONTACTS = 3.03  # per sphere
CERTIFICATES = 1  # a step at rest that is queued as a whole
PASSES = {"f64": 7.4, "f32": 10.3}  # a step at rest, docs/measured/world.md
CPU_8K, EXPONENT = 17e-3, 1.16  # s a step of 8000 on one thread, docs/measured/flow.md; growth, measured to 250 000
SPHERES = (8000, 64000, 500000)


def settle(talus, folder):
    """Where the checkpoint is."""
    scene = os.path.join(folder, "bed.yaml")
    with open(scene, "w") as file:
        file.write(SCENE)
    subprocess.run([talus, "run", scene, "--quiet", "--time", str(SETTLE), "--out", os.path.join(folder, "settled")],
                   stdout=subprocess.DEVNULL, check=True)
    return scene, os.path.join(folder, "settled")


def run(ptxrun, talus, scene, settled, steps):
    """What the emulator printed; contacts, and passes of all steps."""
    out = f"{settled}-{steps}"
    command = [ptxrun, "--count", "--profile", talus, "run", scene, "--quiet", "--resume", settled, "--out", out,
               "--steps", str(steps), "--backend", "cuda", "--threads", "1", "--set", "output.every=1ms", "--set", "output.frames=false"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    with open(os.path.join(out, "scalars.csv"), newline="") as file:
        rows = list(csv.DictReader(file))[-steps:]
    iterations = [int(row["iterations"]) for row in rows]
    passes = sum(i + 1 + -(-i // LOOK) for i in iterations)  # residuals: at first, and after every look
    return done.stdout, int(rows[-1]["contacts"]), passes, iterations


def phase_of(kernel):
    if "cub" in kernel:
        return "collide" if "scan" in kernel else "search of pairs"
    source = re.search(r"_[0-9a-f]{8}_\d+_(\w+?)_cuda_cu", kernel)
    return PHASES[source.group(1)]


def bytes_read(text):
    """Bytes per phase; certificates."""
    threads = re.findall(r"ptxrun: +\d+ launches +(\d+) threads.*Mthreads/s +(\S+)", text)
    judged = int(re.search(r"ptxrun: +(\d+) launches.*judge_all_kernel", text).group(1))
    counts = re.findall(r"ptxrun: (\S+) +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ \| +([\d.]+) +[\d.]+ \|"
                        r" +([\d.]+) +[\d.]+ \| +([\d.]+)", text)
    if len(threads) != len(counts) or not threads:
        sys.exit("device.py: the emulator's tables were not understood")
    phases = {}
    for (number, kernel), (name, *per_thread) in zip(threads, counts):
        if not kernel.startswith(name):
            sys.exit(f"device.py: {name} stands where {kernel} was expected")
        phase = phase_of(kernel)
        phases[phase] = phases.get(phase, 0) + int(number) * sum(map(float, per_thread))
    return phases, judged


def steps_between(few, many):
    """Bytes per contact: of a step, by phase, with one certificate; of a pass. Iterations of each step."""
    (text_few, _, passes_few, first), (text_many, contacts, passes_many, iterations) = few, many
    if iterations[:len(first)] != first:
        sys.exit("device.py: the two runs are not the same")
    (bytes_few, judged_few), (bytes_many, judged_many) = bytes_read(text_few), bytes_read(text_many)
    steps = MANY - FEW
    share = {p: (bytes_many[p] - bytes_few.get(p, 0)) / steps / contacts for p in bytes_many}
    share["certificate"] *= steps / (judged_many - judged_few)
    per_pass = share.pop("solve") * steps / (passes_many - passes_few)
    return share, per_pass, contacts, iterations[FEW:]


def seconds(grains, share, per_pass, bandwidth, precision):
    width = 0.5 if precision == "f32" else 1  # of the reals of a pass; all else is in double precision
    contacts = CONTACTS * grains
    step = sum(share.values()) + (CERTIFICATES - 1) * share["certificate"]
    moved = contacts * (step + PASSES[precision] * per_pass * width)
    return moved / bandwidth + KERNELS * KERNEL


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        scene, settled = settle(sys.argv[2], folder)
        few, many = (run(*sys.argv[1:], scene, settled, steps) for steps in (FEW, MANY))
    share, per_pass, contacts, iterations = steps_between(few, many)
    print(f"{contacts} contacts; iterations of the steps that are counted: {', '.join(map(str, iterations))}\n")
    print("| phase | bytes per contact |\n|---|---|")
    for phase, value in sorted(share.items()):
        print(f"| {phase}, {'each' if phase == 'certificate' else 'a step'} | {value:.0f} |")
    print(f"| solve, a pass | {per_pass:.0f} |\n")
    print("| spheres | one CPU thread, ms | " +
          " | ".join(f"{d}, ms | times" for d in (*DEVICES, "RTX 4090 f32")) + " |")
    print("|" + "---|" * (2 + 2 * (len(DEVICES) + 1)))
    for grains in SPHERES:
        cpu = CPU_8K * (grains / 8000) ** EXPONENT
        cells = [f"{grains}", f"{1e3 * cpu:.0f}"]
        for device, precision in [(d, "f64") for d in DEVICES] + [("RTX 4090", "f32")]:
            t = seconds(grains, share, per_pass, DEVICES[device], precision)
            cells += [f"{1e3 * t:.2f}", f"{cpu / t:.0f}"]
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
