#!/usr/bin/env python3
"""kernels.py: words docs/measured/kernels.md from what kernels.sh has gathered.

usage: kernels.py FOLDER ITERATIONS TOOLKIT     FOLDER: ptxas_0.txt ptxas_1.txt (TL_REAL_IS_FLOAT), and per precision
                                                count_*.txt (ptxrun --count --profile) and solve_*.json
"""
import json
import re
import subprocess
import sys

THREADS = 256                    # of every block: TL_CHUNK
LIMITS = {80: (64, 32, 164), 90: (64, 32, 228)}     # warps, blocks, kB of shared memory per multiprocessor
KINDS = ('spheres', 'arms', 'blocks', 'matrix')
BANDWIDTHS = (1.0e12, 3.3e12)
PRECISIONS = (('f32', 4), ('f64', 8))
HEAP_BODIES = 0.304              # per contact, of the million that the model is for


def demangle(names):
    out = subprocess.run(['c++filt'], input='\n'.join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, out.split('\n')))


def short(name):
    """contact_kernel<gradient, spheres> from a demangled name"""
    name = name.replace('(anonymous namespace)::', '')
    if 'cub::' in name:
        inner = re.search(r'(\w+Kernel)', name)
        return 'CUB ' + (inner.group(1) if inner else 'kernel')
    name = re.sub(r'^void ', '', name).split('(')[0]
    name = re.sub(r'\b(\d)>$', lambda m: KINDS[int(m.group(1))] + '>', name)
    return name.replace('_pass', '')


def occupancy(sm, registers, shared):
    warps_max, blocks_max, kilobytes = LIMITS[sm]
    warps = THREADS // 32
    per_warp = max(256, -(-registers * 32 // 256) * 256)
    blocks = min(blocks_max, warps_max // warps, 65536 // per_warp // warps, kilobytes * 1024 // (shared + 1024))
    return 100 * blocks * warps // warps_max


def resources(path):
    """{(sm, mangled name): (registers, spilled bytes, stack, static shared memory)}"""
    out, entry = {}, None
    with open(path, encoding='utf-8') as log:
        for line in log:
            m = re.search(r"Compiling entry function '(\S+)' for 'sm_(\d+)'", line)
            if m:
                entry = (int(m.group(2)), m.group(1))
            m = re.search(r'(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads', line)
            if m:
                stack, spills = int(m.group(1)), int(m.group(2)) + int(m.group(3))
            m = re.search(r'Used (\d+) registers', line)
            if m:
                shared = re.search(r'(\d+) bytes smem', line)
                out[entry] = (int(m.group(1)), spills, stack, int(shared.group(1)) if shared else 0)
    return out


def counts(path):
    """one dictionary per kernel; the two lists that ptxrun prints stand in the same order"""
    launched, counted = [], []
    with open(path, encoding='utf-8') as log:
        for line in log:
            m = re.match(r'ptxrun: +(\d+) launches +(\d+) threads .*Mthreads/s +(\S+)', line)
            if m:
                launched.append({'launches': int(m.group(1)), 'threads': int(m.group(2)), 'name': m.group(3)})
            m = re.match(r'ptxrun: (\S+) +([-0-9. ]+)\|([-0-9. ]+)\|([-0-9. ]+)\|([-0-9. ]+)$', line)
            if m:
                each, load, store = (list(map(float, m.group(i).split())) for i in (2, 3, 4))
                counted.append({'instructions': each[0], 'flops': each[1] + each[2], 'local': each[3],
                                'load': load[0], 'load_sectors': load[1], 'store': store[0],
                                'store_sectors': store[1]})
    if not launched or len(launched) != len(counted):
        sys.exit(f'{path}: no counts, or not as many as launches')
    return [dict(a, **b) for a, b in zip(launched, counted)]


def readable(name):
    """what a truncated mangled name of ptxrun's is"""
    kernel = re.search(r'\d+([a-z_]+_kernel)', name)
    parts = re.search(r'\d+([a-z_]+)_passE', name)
    return (kernel.group(1) if kernel else name) + (f'<{parts.group(1)}>' if parts else '')


def compulsory(real, b):
    return 16 + 28 * real + 24 * real * b


def distinct(real, b):
    """bytes of the arrays that the two kernels touch: records padded to eight reals, masses, offsets and the second
    reading of V(y) included; per contact, b bodies each"""
    contacts = 8 + 20 * real + 8 * real * b + 16 / 256
    bodies = 8 + 8 * real + b * (4 + 32 * real + 4 * real + 8 / 256)
    return contacts + bodies


def table(head, rows):
    print('| ' + ' | '.join(head) + ' |')
    print('|' + '---|' * len(head))
    for row in rows:
        print('| ' + ' | '.join(row) + ' |')
    print()


def print_resources(folder):
    usage = {'f32': resources(f'{folder}/ptxas_1.txt'), 'f64': resources(f'{folder}/ptxas_0.txt')}
    names = demangle(sorted({name for u in usage.values() for _, name in u}))
    for sm in LIMITS:
        merged = {}
        for precision, _ in PRECISIONS:
            for (arch, name), values in usage[precision].items():
                if arch == sm:     # several instances of one CUB kernel: the worst
                    old = merged.setdefault(short(names[name]), {}).get(precision, (0, 0, 0, 0))
                    merged[short(names[name])][precision] = tuple(map(max, old, values))
        rows = []
        for kernel in sorted(merged):
            both = [merged[kernel].get(p) for p, _ in PRECISIONS]
            cell = lambda f: ' / '.join('-' if v is None else str(f(v)) for v in both)
            blocks_known = not kernel.startswith('CUB')     # CUB chooses its own sizes of blocks
            rows.append([f'`{kernel}`', cell(lambda v: v[0]), cell(lambda v: v[1]), cell(lambda v: v[3]),
                         cell(lambda v: occupancy(sm, v[0], v[3])) if blocks_known else '-'])
        spilling = sum(any(v and v[1] for v in m.values()) for m in merged.values())
        print(f'### sm_{sm}\n\n{len(merged)} kernels, {spilling or "none"} of them with spills.\n')
        table(['kernel', 'registers f32 / f64', 'spilled B', 'shared B', 'occupancy %'], rows)


def print_counts(folder, iterations):
    totals = {}
    for precision, real in PRECISIONS:
        with open(f'{folder}/solve_{precision}.json', encoding='utf-8') as f:
            solve = json.load(f)
        contacts, bodies = solve['contacts'], solve['velocities'] // 6
        b = bodies / contacts
        each = [k for k in counts(f'{folder}/count_{precision}.txt') if k['launches'] >= iterations]
        print(f'### {precision}\n')
        rows, total = [], 0
        for k in each:
            scale = k['threads'] / k['launches'] / contacts
            asked = (k['load'] + k['store']) * scale
            total += asked * k['launches'] / iterations
            rows.append([f"`{readable(k['name'])}`", f"{k['launches'] / iterations:g}", f"{k['load'] * scale:.1f}",
                         f"{k['store'] * scale:.1f}", f"{k['load_sectors']:.1f}", f"{k['store_sectors']:.1f}",
                         f"{k['flops'] * scale:.0f}", f"{k['local'] * scale:.0f}"])
        table(['kernel', 'launches per iteration', 'B loaded', 'B stored', 'sectors per load request',
               'per store request', 'flop', 'local B'], rows)
        least, touched = compulsory(real, b), distinct(real, b)
        print(f'{contacts} contacts, {bodies} bodies, {iterations} iterations; per contact and iteration: compulsory '
              f'{least:.1f} B, arrays touched {touched:.1f} B ({touched / least:.2f} times), asked for by threads '
              f'{total:.1f} B ({total / least:.2f} times).\n')
        totals[precision] = (real, total / least)
    return totals


def print_model(totals):
    rows = []
    for precision, (real, asked) in totals.items():
        least = compulsory(real, HEAP_BODIES)
        for what, size in (('compulsory', least), ('arrays touched', distinct(real, HEAP_BODIES)),
                           ('asked for, no cache at all', asked * least)):
            rows.append([precision, what, f'{size:.0f}'] +
                        [f'{1e6 * size / rate * 1e3:.3f}' for rate in BANDWIDTHS])
    table(['', 'bytes', 'per contact'] + [f'ms at {rate / 1e12:g} TB/s' for rate in BANDWIDTHS], rows)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    folder, iterations, toolkit = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    print(f'''# The device code, as far as it can be known without a device

Written by `bench/kernels.sh` with CUDA {toolkit}; nothing here was measured on a GPU. Our own blocks have
{THREADS} threads throughout; shared memory is static.

## What a thread asks for

One APGDB iteration on a heap of spheres, law ccp, executed by ptxrun, which runs the compiled kernels on the CPU and
counts. All of an iteration's kernels are in the list: two, launched from a captured graph. Bytes are per contact and
launch, as threads ask for them: what neighbours share, and scalars that all threads read, count each time. A request of
a warp touches at least 4 sectors of 32 B (f32) or 8 (f64); packed triples touch three times as many, of which the second
and third request find the sectors in the cache.

- *compulsory*: each datum once per loop, by the formula of `bench/README.md`;
- *arrays touched*: each array that a kernel touches once, with padding, masses and offsets: what reaches the memory if
  the caches keep neighbours together (contacts are sorted by body);
- *asked for*: the counts of the table, no cache at all.
''')
    totals = print_counts(folder, iterations)
    print('''## What a bandwidth would make of it

A **model**, not a measurement: one APGDB iteration on a million contacts, bytes divided by bandwidth; launches, latency
and the tail of the last blocks are not in it.
''')
    print_model(totals)
    print('## Registers, spills, occupancy\n\nFrom ptxas; occupancy is theoretical, for the registers and the static '
          'shared memory.\n')
    print_resources(folder)


if __name__ == '__main__':
    main()
