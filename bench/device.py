"""A model of a step of a world on a GPU, from bytes and kernels counted by an emulator of CUDA.

    python3 bench/device.py path/of/ptxrun path/of/talus

Runs `talus bench world --backend cuda` twice, with 2 and with 6 steps of 1000 spheres; the difference is that of
four steps. Bytes are those that threads ask for (loads, stores, atomics), caches are not modelled. The solve is
counted per pass, the certificate by itself, everything else per step, all per contact. Prints tables for docs/measured/device.md.
"""
import re
import subprocess
import sys

GRAINS, FEW, MANY = 1000, 2, 6
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


def run(ptxrun, talus, steps):
    command = [ptxrun, "--count", "--profile", talus, "bench", "world", "--backend", "cuda",
               "--grains", str(GRAINS), "--settle", "0.01", "--steps", str(steps)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    return done.stdout


def phase_of(kernel):
    if "cub" in kernel:
        return "collide" if "scan" in kernel else "search of pairs"
    source = re.search(r"_\d+_(\w+?)_cuda_cu", kernel)
    return PHASES[source.group(1)]


def bytes_read(text):
    """Bytes per phase; passes of the steps that were timed; contacts; certificates."""
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
    row = re.search(r"^ +\d+ +(\d+) \|[^|]*\| +([\d.]+)", text, re.M)
    return phases, float(row.group(2)), int(row.group(1)), judged


def steps_between(few, many):
    """Bytes per contact: of a step, by phase, with one certificate; of a pass."""
    steps = MANY - FEW
    contacts = many[2]
    passes = (MANY * many[1] - FEW * few[1]) / steps
    share = {p: (many[0][p] - few[0].get(p, 0)) / steps / contacts for p in many[0]}
    share["certificate"] *= steps / (many[3] - few[3])
    per_pass = share.pop("solve") / passes
    return share, per_pass


def seconds(grains, share, per_pass, bandwidth, precision):
    width = 0.5 if precision == "f32" else 1  # of the reals of a pass; all else is in double precision
    contacts = CONTACTS * grains
    step = sum(share.values()) + (CERTIFICATES - 1) * share["certificate"]
    moved = contacts * (step + PASSES[precision] * per_pass * width)
    return moved / bandwidth + KERNELS * KERNEL


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    few, many = (bytes_read(run(*sys.argv[1:], steps)) for steps in (FEW, MANY))
    share, per_pass = steps_between(few, many)
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
